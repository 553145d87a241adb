"""Short training texts for language detection, from translations in wheels with permissive licences."""

import gettext
import io
import json
import random
import re
import subprocess
import sys
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

WHEELS = {
    "apache-airflow-core==3.3.2": "Apache-2.0",
    "apache-superset==6.1.0": "Apache-2.0",
    "django-allauth==65.21.1": "MIT",
    "django-cms==5.1.3": "BSD-3-Clause",
    "djangorestframework==3.18.3": "BSD-3-Clause",
    "indico==3.2.9": "MIT",
    "jupyterlab-language-pack-da-DK==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-de-DE==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-es-ES==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-fi-FI==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-fr-FR==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-id-ID==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-it-IT==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-nl-NL==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-no-NO==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-pl-PL==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-pt-BR==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-ro-RO==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-tr-TR==4.5.post3": "BSD-3-Clause",
    "jupyterlab-language-pack-vi-VN==4.5.post3": "BSD-3-Clause",
    "kolibri==0.19.5": "MIT",
    "pretalx==2025.2.2": "Apache-2.0",
    "sphinx==9.0.4": "BSD-2-Clause",
    "wagtail==8.0.1": "BSD-3-Clause",
}
"""Source packages and their licences; only counts of character sequences enter the table."""
MAIN_LANGUAGES = ("de", "es", "fr", "it", "nl", "pl", "pt", "tr")
QUESTIONS = {
    "cs": "jak|kde|proč|kdy|kdo|který|co je|kolik|lze|můžu|jaký|jaké",
    "da": "hvordan|hvor|hvorfor|hvornår|hvem|hvilken|hvilke|hvad er|kan man|findes der|hvor mange",
    "de": "wie|wo|was|warum|wann|wer|welche|wieso|wo ist|was ist|wie wird|wozu|lässt sich|gibt es|kann man|muss ich",
    "es": "cómo|dónde|por qué|cuándo|quién|cuál|cuáles|qué|cómo puedo|hay|cuántos|se puede|qué es|para qué|es posible",
    "fi": "miten|missä|miksi|milloin|kuka|mikä on|voiko|onko|kuinka monta|mistä|mihin|kuinka",
    "fr": "comment|où|pourquoi|quand|qui|quel|quelle|quels|quelles|est-ce que|qu'est-ce que|que|peut-on|y a-t-il",
    "hu": "hogyan|hol|miért|mikor|ki|melyik|mi az|lehet|van|hány|mennyi|hova|mit",
    "id": "bagaimana|di mana|mengapa|kapan|siapa|apa itu|apakah|berapa|bagaimana cara|kenapa|yang mana",
    "it": "come|dove|perché|quando|chi|quale|quali|cosa|come si fa a|è possibile|quanti|che cosa è|posso|dov'è|c'è",
    "nb": "hvordan|hvor|hvorfor|når|hvem|hvilken|hvilke|hva er|kan man|finnes det|hvor mange",
    "nl": "hoe|waar|waarom|wanneer|wie|welke|wat|hoe kan ik|is er|hoeveel|kan ik|wat is|moet ik|hoe wordt",
    "pl": "jak|gdzie|dlaczego|kiedy|kto|który|która|które|co to jest|czy można|czy|ile|jak mogę|skąd|jaki|jakie",
    "pt": "como|onde|por que|quando|quem|qual|quais|o que|como posso|há|existe|quantos|é possível|o que é",
    "ro": "cum|unde|de ce|când|cine|care|ce este|pot|există|câți|cât",
    "sv": "hur|var|varför|när|vem|vilken|vilka|vad är|kan man|finns det|hur många|hur gör jag",
    "tr": "nasıl|nerede|neden|ne zaman|kim|hangi|nedir|nasıl yapılır|var mı|kaç|niçin|mümkün mü|ne|nereye",
    "vi": "làm thế nào để|ở đâu|tại sao|khi nào|ai|cái nào|là gì|có thể|như thế nào|bao nhiêu",
    "en": "how|what|where|why|when|which|who|how to|how do I|what is|where is|can I|does|is there|why is|should I",
}
"""Beginnings of questions, which translations of user interfaces seldom have."""
_LOCALE = re.compile(r"(?:locales?|translations|i18n)[^/]*/(?:locales/)?([a-z]{2})(?:[-_][A-Za-z]+)?(?:/|\.)")
_MARKUP = re.compile(r"<[^>]+>|%\(\w+\)[sd]|%[sd]|\{\{.*?\}\}|\{[^}]*\}|&\w+;|https?://\S+|`[^`]*`|\$\w+")
_NAME = re.compile(r"\b[A-Z][^\W\d_]+ [A-Z][^\W\d_]+\b")
_WINDOW_LENGTHS = (1, 2, 2, 3, 3, 4, 4, 5, 6, 8)
_MAX_JSON_BYTES = 3_000_000
_SINGLE_LETTERS = str.maketrans({"ı": "i", "ł": "l", "đ": "d", "ß": "ss", "ø": "o", "æ": "ae"})


def download_wheels(folder: Path) -> list[Path]:
    """Download the wheels that are missing in a folder, and print their checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), *WHEELS], check=True)
    wheels = sorted(folder.glob("*.whl"))
    for wheel in wheels:
        print(sha256(wheel.read_bytes()).hexdigest(), wheel.name)
    return wheels


def read_translations(wheels: list[Path]) -> dict[str, list[str]]:
    """Read the messages of each language, and the English originals."""
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                found = _LOCALE.search(name)
                code = found[1].replace("no", "nb") if found else ""
                if code in QUESTIONS:
                    for original, translation in _messages(archive, name):
                        texts["en"].add(_clean(original))
                        if translation != original:
                            texts[code].add(_clean(translation))
    english = {text.lower() for text in texts["en"]}
    return {
        code: sorted(text for text in found if 2 < len(text) <= 300 and (code == "en" or text.lower() not in english))
        for code, found in sorted(texts.items())
    }


def _messages(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[str, str]]:
    """Read pairs of an English message, if it is known, and its translation."""
    if name.endswith(".mo"):
        catalog: dict[str | tuple[str, int], str] = vars(gettext.GNUTranslations(io.BytesIO(archive.read(name))))[
            "_catalog"
        ]
        for key, translation in catalog.items():
            yield (key if isinstance(key, str) else key[0]).split("\x04")[-1], translation if key else ""
    elif name.endswith(".json") and archive.getinfo(name).file_size <= _MAX_JSON_BYTES:
        for text in _strings(json.loads(archive.read(name))):
            yield "", text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _clean(text: str) -> str:
    """Remove markup and placeholders; keep texts with a word of three letters."""
    plain = " ".join(_MARKUP.sub(" ", text).split())
    return plain if re.search(r"[^\W\d_]{3}", plain) else ""


def read_english(wheels: list[Path]) -> tuple[list[str], list[str]]:
    """Read lines of source code and descriptions, and names of persons and packages."""
    lines: set[str] = set()
    names: set[str] = set()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith((".py", "/METADATA", "/AUTHORS")):
                    text = archive.read(name).decode("utf-8", "replace")[:20_000]
                    lines.update(line.strip() for line in text.splitlines() if line.isascii() and len(line) < 200)
                    if not name.endswith(".py"):
                        names.update(_NAME.findall(text))
                        names.update(re.findall(r"^Requires-Dist: ([\w-]+)", text, re.MULTILINE))
    return sorted(line for line in lines if re.search(r"[a-z]{3}", line)), sorted(names)


def strip_accents(text: str) -> str:
    """Write a text as on a keyboard without accents."""
    decomposed = unicodedata.normalize("NFD", text.translate(_SINGLE_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def cut_window(text: str, chance: random.Random) -> str:
    """Cut one to eight consecutive words out of a text."""
    words, length = text.split(), chance.choice(_WINDOW_LENGTHS)
    start = chance.randrange(max(1, len(words) - length + 1))
    return " ".join(words[start : start + length])
