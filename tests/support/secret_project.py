"""A project with secrets in every place where a text can be: files, names, front matter, notes, tasks and skills."""

from pathlib import Path

from support.planted_secrets import dice, drawn

_RNG = dice(20261117)
PLACES = (
    *("title", "heading", "body", "field", "tag", "code", "name", "folder", "link", "sentence"),
    *("note", "note_title", "note_tag", "note_name", "step", "trigger", "task"),
)
SECRETS = {place: "ghp_" + drawn(_RNG, 36) for place in PLACES}
PASSWORDS = {place: drawn(_RNG, 20) for place in ("yaml", "field", "note_field", "nested")}
"""Values that are secret only by their names."""
KEY_LINES = tuple(drawn(_RNG, 64) for _ in range(3))
NOTE = ".waymeet/notes/access.md"
NAMED_NOTE = f".waymeet/notes/{SECRETS['note_name']}.md"
TASK = ".waymeet/tasks/rotate.md"
SKILL = ".waymeet/skills/deploy.md"
NAMED_DOC = f"docs/{SECRETS['name']}.md"


def files() -> dict[str, str]:
    """Give the files of the project by their paths."""
    key = "\n".join(KEY_LINES)
    token = SECRETS
    return {
        "docs/access.md": f"---\ntitle: Access with {token['title']}\napi_key: {PASSWORDS['field']}\n"
        f"tags: [ops, {token['tag']}]\n---\n# Access\n\n## Part {token['heading']}\n\n"
        f"Rotate the keys: {token['body']}.\n"
        f"See [the setup {token['link']}](setup.md), and [nothing {token['sentence']}](gone-{token['sentence']}.md).\n",
        "docs/setup.md": f"# Setup\n\nRotate the keys. See [[{SECRETS['name']}]] and `connect` of src/app.py.\n",
        NAMED_DOC: "# Named\n\nA page about keys whose name is a secret. See [access](access.md).\n",
        f"docs/{token['folder']}/page.md": "# Page\n\nA page about keys in a folder whose name is a secret.\n",
        "src/app.py": f'TOKEN = "{token["code"]}"\n\n\ndef connect():\n    """Rotate the keys."""\n    return TOKEN\n',
        "settings.yaml": f"database:\n  password: {PASSWORDS['yaml']}\n",
        NOTE: f"---\ntitle: Access {token['note_title']}\ntags: [keys, {token['note_tag']}]\n"
        f"client_secret: {PASSWORDS['note_field']}\nnested: {{api_key: {PASSWORDS['nested']}}}\n"
        f"references: docs/setup.md\n---\n\nThe keys are not rotated: {token['note']}.\n\n-----BEGIN PRIVATE KEY-----\n"
        f"{key}\n-----END PRIVATE KEY-----\n",
        NAMED_NOTE: "# Named note\n\nA note about keys whose name is a secret.\n",
        TASK: f"---\ntitle: Rotate keys\nstatus: todo\nassignee: me with {token['task']}\n---\n\nRotate the keys.\n",
        SKILL: f"---\ntitle: Deploy keys\ndescription: Deploy with keys\ntriggers: [deploy {token['trigger']}]\n---\n\n"
        f"## Steps\n\n1. Rotate the keys\n2. Log in with {token['step']}\n",
    }  # fmt: skip


def plant(root: Path) -> Path:
    """Write the project."""
    for path, text in files().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def find_secrets(shown: str) -> list[str]:
    """Name the places whose secrets are in a text, in any case."""
    lower = shown.lower()
    values = {**SECRETS, **{f"password of {place}": value for place, value in PASSWORDS.items()}}
    values |= {f"line {number} of the key": line for number, line in enumerate(KEY_LINES)}
    return [place for place, value in values.items() if value.lower() in lower]


def mask(text: str) -> str:
    """Mask the secrets of this project in a text, as a reader of an answer sees it."""
    for value in (*SECRETS.values(), *PASSWORDS.values()):
        text = text.replace(value, "[secret]")
    return text


def lost_values(root: Path) -> list[str]:
    """Name the places whose secrets are in no file of the project any more."""
    written = "\n".join(
        path.relative_to(root).as_posix() + path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.is_file()
    )
    return sorted(set(find_secrets("\n".join((*files(), *files().values())))) - set(find_secrets(written)))
