"""Secrets in values that have a name: fields of front matter, and keys of JSON."""

from waymeet.ingest.read.secrets import MASK, split_secrets


def split_field(name: str, text: str, path: str = "") -> list[str]:
    """Split the value of a named field into plain parts and secrets, in turn.

    The name decides, as in a file: `api_key: …`.

    >>> split_field("api_key", "q8Zr4TnX2vLw9KbY7mPd"), split_field("title", "q8Zr4TnX2vLw9KbY7mPd")
    (['', 'q8Zr4TnX2vLw9KbY7mPd', ''], ['q8Zr4TnX2vLw9KbY7mPd'])
    """
    for before, after in ((f"{name}: ", ""), (f'{name}: "', '"')):
        parts = split_secrets(f"{before}{text}{after}", path)
        if len(parts) > 1 and parts[0].startswith(before) and parts[-1].endswith(after):
            parts[0], parts[-1] = parts[0].removeprefix(before), parts[-1].removesuffix(after)
            return parts
    return [text]


def join_masked(parts: list[str]) -> str:
    r"""Join plain parts and secrets with a mask in place of each secret, as `mask_secrets` does.

    >>> join_masked(["a ", "b\nc", " d"])
    'a [secret]\n d'
    """
    mask = MASK.decode()
    return "".join(mask + "\n" * part.count("\n") if number % 2 else part for number, part in enumerate(parts))
