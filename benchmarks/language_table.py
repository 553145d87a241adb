"""Make the table of n-gram weights that detects the language of short texts.

    python benchmarks/language_table.py FOLDER [GRAMS]

FOLDER keeps the downloaded wheels. The model is a multinomial logistic regression over the words and the sequences of
two to four letters that a text contains; each weight is relative to English.
"""

import random
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from language_text import (
    MAIN_LANGUAGES,
    QUESTIONS,
    cut_window,
    download_wheels,
    read_english,
    read_translations,
    strip_accents,
)
from numpy.typing import NDArray

from waymeet.analysis.languages.ngrams import BIAS, LANGUAGES, OFFSET, STEPS_PER_UNIT, TABLE, list_ngrams

_TEXTS = 16_000
"""Texts of each main language; others have half as many."""
_ENGLISH_TEXTS = 120_000
_MIN_TEXTS = 40
"""Texts that must contain an n-gram."""
_PENALTY = 2e-6
_CLASSES = ("en", *LANGUAGES)

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


def make_texts(folder: Path, chance: random.Random) -> list[tuple[str, str]]:
    """Make short texts with their language."""
    wheels = download_wheels(folder)
    translations = read_translations(wheels)
    for code, messages in translations.items():
        print(code, len(messages), "messages")
    texts: list[tuple[str, str]] = []
    for code in LANGUAGES:
        number = _TEXTS if code in MAIN_LANGUAGES else _TEXTS // 2
        windows = [cut_window(chance.choice(translations[code]), chance) for _ in range(number)]
        texts.extend((_ask(window, code, chance), code) for window in windows)
    lines, names = read_english(wheels)
    words = sorted({word.lower() for line in translations["en"] for word in re.findall(r"[^\W\d_]+", line)})
    for _ in range(_ENGLISH_TEXTS):
        kind = chance.random()
        text = cut_window(chance.choice(translations["en"] if kind < 0.4 else lines), chance)
        if kind > 0.92:
            text += " " + chance.choice(names)
        elif kind > 0.88:
            text = chance.choice(names)
        elif kind > 0.75:
            text = " ".join(chance.sample(words, chance.choice((1, 2, 2, 3))))
        texts.append((f"{chance.choice(_questions('en'))} {text}" if chance.random() < 0.15 else text, "en"))
    chance.shuffle(texts)
    return texts


def _questions(code: str) -> list[str]:
    return QUESTIONS[code].split("|")


def _ask(text: str, code: str, chance: random.Random) -> str:
    """Make questions of a quarter of the texts, and remove the accents of a third."""
    kind = chance.random()
    if kind < 0.25:
        text = f"{chance.choice(_questions(code))} {text}"
    elif kind < 0.33:
        text = f"{text} {chance.choice(_questions(code))}"
    return strip_accents(text) if code != "vi" and chance.random() < 0.35 else text


def fit(rows: list[Integers], classes: Integers, features: int, epochs: int) -> tuple[Floats, Floats]:
    """Fit a multinomial logistic regression by AdaGrad; return weights and biases."""
    weights, squares = np.zeros((features, len(_CLASSES)), np.float32), np.full((features, 1), 1e-3, np.float32)
    bias = np.zeros(len(_CLASSES), np.float32)
    order = np.random.default_rng(5)
    for epoch in range(epochs):
        loss = 0.0
        for batch in np.array_split(order.permutation(len(rows)), len(rows) // 500):
            indexes = np.concatenate([rows[i] for i in batch])
            lengths = np.array([len(rows[i]) for i in batch])
            starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
            scores = np.add.reduceat(weights[indexes], starts, axis=0) + bias
            scores -= scores.max(axis=1, keepdims=True)
            errors = np.exp(scores)
            errors /= errors.sum(axis=1, keepdims=True)
            loss -= float(np.log(errors[np.arange(len(batch)), classes[batch]] + 1e-9).sum())
            errors[np.arange(len(batch)), classes[batch]] -= 1
            touched, inverse = np.unique(indexes, return_inverse=True)
            gradient = np.zeros((len(touched), len(_CLASSES)), np.float32)
            np.add.at(gradient, inverse, np.repeat(errors, lengths, axis=0))
            gradient = gradient / len(batch) + _PENALTY * 500 * weights[touched] / len(batch)
            squares[touched] += (gradient**2).mean(axis=1, keepdims=True)
            weights[touched] -= 0.1 * gradient / np.sqrt(squares[touched])
            bias -= 0.05 * errors.mean(axis=0)
        print(f"epoch {epoch + 1}: loss {loss / len(rows):.4f}", flush=True)
    return weights, bias


def _encode(texts: list[set[str]], index: dict[str, int]) -> list[Integers]:
    """Number the n-grams of each text; feature 0 keeps a text from being empty."""
    return [np.array([0, *sorted(index[gram] for gram in grams if gram in index)]) for grams in texts]


def write_table(path: Path, grams: list[str], weights: Floats, bias: Floats) -> None:
    """Write one line for each n-gram, with one letter for each language's weight relative to English."""
    relative = weights[:, 1:] - weights[:, :1]
    relative[0] += bias[1:] - bias[0]
    steps = np.clip(np.rint(relative * STEPS_PER_UNIT), 33 - OFFSET, 126 - OFFSET).astype(int)
    lines = [gram + "\t" + "".join(chr(OFFSET + step) for step in row) for gram, row in zip(grams, steps, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(folder: str, grams: str = "4000") -> None:
    """Train on all n-grams, keep the most useful ones, train again and write the table."""
    texts = make_texts(Path(folder), random.Random(7))  # noqa: S311 - repeatable, not secret
    gram_sets = [set(list_ngrams(text.lower())) for text, _ in texts]
    classes = np.array([_CLASSES.index(code) for _, code in texts])
    counts = Counter(gram for found in gram_sets for gram in found)
    vocabulary = [BIAS, *sorted(gram for gram, count in counts.items() if count >= _MIN_TEXTS)]
    print(len(texts), "texts,", len(vocabulary), "n-grams", flush=True)
    rows = _encode(gram_sets, {gram: i for i, gram in enumerate(vocabulary)})
    weights, _ = fit(rows, classes, len(vocabulary), 3)
    frequency = np.array([0, *(counts[gram] for gram in vocabulary[1:])], np.float32)
    use = np.abs(weights[:, 1:] - weights[:, :1]).max(axis=1) * np.sqrt(frequency)
    kept = [BIAS, *sorted(vocabulary[i] for i in np.argsort(-use)[: int(grams)])]
    rows = _encode(gram_sets, {gram: i for i, gram in enumerate(kept)})
    weights, bias = fit(rows, classes, len(kept), 8)
    write_table(TABLE, kept, weights, bias)


if __name__ == "__main__":
    main(*sys.argv[1:])
