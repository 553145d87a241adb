"""The documentation is complete and up to date: everything is described, everything described exists, examples run."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import click
import pytest
from blocks import parse_blocks, parse_commands, replace_bodies
from page_diff import diff_pages, is_same_line
from refresh import REPOSITORY, list_pages, refresh_page
from tables import PARTS, walk_commands

from waymeet import __all__ as public
from waymeet.interfaces.agents.known_agents import AGENTS
from waymeet.interfaces.cli import cli
from waymeet.interfaces.cli.manage.settings import descriptions
from waymeet.interfaces.http.openapi import build_description
from waymeet.interfaces.mcp.compat import COMPAT
from waymeet.interfaces.mcp.prompts import list_prompts as prompts
from waymeet.interfaces.mcp.tools import TOOLS, input_schema, tool_defaults
from waymeet.recipes import RECIPES
from waymeet.recipes.stage_table import STAGES
from waymeet.settings import Settings, make_layer
from waymeet.settings.layers import list_keys
from waymeet.settings.sources import ALIASES, RESERVED

PAGES = {path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8") for path in list_pages()}
_REACHED = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_if_it_were_made_now(name: str) -> None:
    """Tables are made anew and commands run in a clean folder; times, versions and last digits of scores may differ."""
    page = PAGES[name]
    if any(block.is_run for block in parse_blocks(page)):
        for program in ("bash", *(["curl"] if "$ curl " in page else [])):
            if shutil.which(program) is None:
                pytest.skip(f"NOT TESTED: the examples of {name}, for there is no {program} here")
    # Twice: on a machine that hangs for a moment an answer may say that it had no time to look for changes.
    stale = diff_pages(page, refresh_page(page)) and diff_pages(page, refresh_page(page))
    assert not stale, f"{name} is out of date; `make docs` regenerates it:\n{stale}"


def test_every_command_and_option_is_described() -> None:
    page = PAGES["docs/commands.md"]
    overview = PAGES["docs/cli.md"]
    for path, command in walk_commands(cli):
        rest = page.partition(f"## waymeet {' '.join(path)}\n")[2]
        assert rest, path
        manual = rest.partition("\n```\n")[0]
        options = (each for each in command.params if isinstance(each, click.Option) and not each.hidden)
        for name in (name for option in options for name in option.opts):
            assert name in manual, (path, name)
        assert f"`waymeet {path[0]}`" in overview, path


def test_every_setting_is_described() -> None:
    said = descriptions()
    for key, _ in list_keys():
        assert said.get(key), f"{key} has no docstring under it"
        assert f"| `{key}`<br>" in PAGES["docs/settings.md"], key
    for variable in RESERVED | ALIASES:
        assert f"`{variable}`" in PAGES["docs/settings.md"], variable


def test_every_recipe_and_stage_is_described() -> None:
    page = PAGES["docs/ranking.md"]
    prose = re.sub(r"<!-- begin .*?<!-- end [a-z-]+ -->", "", page, flags=re.DOTALL)
    for name in RECIPES:
        assert f"| `{name}` |" in page, name
        assert f"`{name}`" in prose, f"{name} is listed, but not explained"
    for name in STAGES:
        assert f"| `{name}` |" in page, name


def test_every_tool_prompt_and_agent_is_described() -> None:
    page = PAGES["docs/mcp.md"]
    for tool in TOOLS.values():
        rest = page.partition(f"### `{tool.name}`\n")[2]
        assert rest, tool.name
        part = rest.partition("\n### ")[0]
        assert all(
            f"`{name}`" in part for name in input_schema(tool.request, tool_defaults(Settings()))["properties"]
        ), tool.name
    for name in (*COMPAT, *AGENTS, *(each.name for each in prompts(writing=True))):
        assert f"| `{name}` |" in page, name


def test_every_route_is_described() -> None:
    page = PAGES["docs/http.md"]
    for path, methods in build_description()["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in page, (method, path)


def test_every_public_name_is_described() -> None:
    table = PAGES["docs/library.md"].partition("## Search")[0]
    assert all(f"`{name}`" in table for name in public)


def test_every_pain_has_its_answer() -> None:
    numbers = re.findall(r"^### (\d+)\. ", PAGES["docs/faq.md"], re.MULTILINE)
    assert sorted(map(int, numbers)) == list(range(1, 27))


def test_every_page_is_listed_in_the_overview() -> None:
    listed = PAGES["docs/README.md"]
    assert all(f"({Path(name).name})" in listed for name in PAGES if Path(name).name != "README.md")


@pytest.mark.parametrize("name", PAGES)
def test_links_between_pages_lead_somewhere(name: str) -> None:
    for found in _REACHED.finditer(re.sub(r"`[^`\n]*`", "", _prose(PAGES[name]))):
        target, _, heading = found["target"].partition("#")
        if "://" in target:
            continue
        path = (REPOSITORY / name).parent / target if target else REPOSITORY / name
        assert path.exists(), found["target"]
        if heading:
            assert heading in _headings(path.read_text(encoding="utf-8")), found["target"]


def _prose(page: str) -> str:
    """Give a page without what stands in its blocks."""
    return replace_bodies(page, {block.start: "" for block in parse_blocks(page)})


def _headings(page: str) -> set[str]:
    """Give the anchors that GitHub makes of headings."""
    titles = re.findall(r"^#+ (.+)$", _prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", PAGES)
def test_examples_are_what_they_claim_to_be(name: str) -> None:
    """JSON can be read, settings are accepted in a project's file, Python is run by a command of the page."""
    page = PAGES[name]
    commands = "\n".join(
        each.command for block in parse_blocks(page) if block.is_run for each in parse_commands(block.body)
    )
    for block in parse_blocks(page):
        if block.language == "json":
            json.loads(block.body)
        if block.language == "toml":
            make_layer(name, tomllib.loads(block.body), trusted=block.key == "not run")
        if block.language == "python" and name.startswith("docs/"):
            assert block.key == "file", f"nobody runs this: {block.body[:60]}"
            assert f"python ~/{block.value}" in commands, f"nobody runs {block.value}"


def test_no_part_is_made_for_nobody() -> None:
    begun = {found for page in PAGES.values() for found in re.findall(r"<!-- begin ([a-z-]+) -->", page)}
    assert begun == set(PARTS)


def test_a_page_that_is_out_of_date_is_noticed() -> None:
    page = "# A\n\n```console\n$ echo one; echo 0.51 in 3 ms\ntwo\n0.50 in 99 ms\n```\n"
    assert "+one" in diff_pages(page, refresh_page(page))
    assert "-0.50" not in diff_pages(page, refresh_page(page))
    assert not is_same_line("score 0.5", "score 0.6")
    assert is_same_line("a.sqlite (0.3 MB, generation 10)", "a.sqlite (0.2 MB, generation 9)")


def test_a_page_whose_examples_fail_is_refused() -> None:
    with pytest.raises(RuntimeError, match="no-such-program"):
        refresh_page("```console\n$ no-such-program\n```\n")
    with pytest.raises(RuntimeError, match="exit code 1"):
        refresh_page("```sh\nfalse\n```\n")
