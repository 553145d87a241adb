"""Settings: precedence, clear errors, and limits of untrusted files."""

import contextlib
import json
from pathlib import Path

import pytest

from waymeet.errors import SettingsError
from waymeet.interfaces.cli.manage.settings import descriptions
from waymeet.recipes import RECIPES
from waymeet.settings import PROJECT_SETTINGS, Layer, find_origin, is_project_setting, make_layer, read_layers, resolve
from waymeet.settings.layers import list_keys
from waymeet.settings.sources import from_environment, from_flag, from_project


def test_precedence_rises_from_defaults_to_flags(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("[rrf]\nk = 2\nlexical = 2\nvector = 2\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "waymeet.toml").write_text("[rrf]\nk = 3\nlexical = 3\n")
    environment = {"WAYMEET_CONFIG": str(mine), "WAYMEET_RRF_K": "4"}
    recipe = Layer("recipe", {"rrf": {"k": 1, "vector": 1.5}, "pool": {"factor": 7}})
    found = (recipe, *read_layers(root, ["graph.depth=5"], environment))
    settings = resolve(found)
    assert (settings.rrf.k, settings.rrf.lexical, settings.rrf.vector) == (4.0, 3.0, 2.0)
    assert settings.pool.factor == 7
    assert settings.graph.depth == 5
    assert find_origin("rrf.k", found) == "WAYMEET_RRF_K"
    assert find_origin("rrf.lexical", found) == "waymeet.toml"
    assert find_origin("rrf.vector", found) == str(mine)
    assert find_origin("graph.depth", found) == "--set"
    assert find_origin("pool.factor", found) == "recipe"
    assert find_origin("graph.fan_out", found) == "default"
    assert read_layers(root, ["rrf.k=9"], environment)[-1].values == {"rrf": {"k": 9.0}}


@pytest.mark.parametrize(
    ("values", "meant"),
    [({"rff": {"k": 1}}, "rrf"), ({"rrf": {"kk": 1}}, "rrf.k"), ({"bm25": {"fields": {"titel": 1}}}, "title")],
)
def test_an_unknown_key_is_an_error_with_a_suggestion(values: dict[str, object], meant: str) -> None:
    with pytest.raises(SettingsError) as caught:
        make_layer("waymeet.toml", values)
    assert "waymeet.toml" in caught.value.message
    assert "Did you mean" in caught.value.hint
    assert meant in caught.value.hint


@pytest.mark.parametrize("values", [{"rrf": {"k": "many"}}, {"rrf": 3}, {"classic": {"fusion": "magic"}}])
def test_a_value_that_does_not_fit_names_its_place(values: dict[str, object]) -> None:
    with pytest.raises(SettingsError) as caught:
        make_layer("waymeet.toml", values)
    assert "waymeet.toml" in str(caught.value)
    assert next(iter(values)) in str(caught.value)


def test_a_project_file_sets_what_is_listed_and_nothing_else(tmp_path: Path) -> None:
    for key, value in list_keys():
        if value in ({}, None):
            continue
        (tmp_path / "waymeet.toml").write_text(f"{key} = {json.dumps(value)}\n")
        if is_project_setting(key):
            assert from_project(tmp_path).values
        else:
            with pytest.raises(SettingsError, match="may not set"):
                from_project(tmp_path)


SAFEGUARDS = (
    "embedding rerank expand serve terminal watch mcp roots ingest.secret_files ingest.mask_secrets "
    "ingest.max_file_bytes ingest.parse_seconds ingest.parse_megabytes ingest.batch_bytes ingest.refresh_seconds "
    "ingest.refresh_files ingest.confirm_removals_above notebook.history notebook.max_bytes staleness.git_seconds"
).split()


@pytest.mark.parametrize("safeguard", SAFEGUARDS)
def test_safeguards_are_the_users_alone(safeguard: str) -> None:
    assert not any(allowed == safeguard or allowed.startswith(f"{safeguard}.") for allowed in PROJECT_SETTINGS)
    assert not is_project_setting(safeguard)


def test_every_setting_that_a_project_may_set_exists() -> None:
    keys = [key for key, _ in list_keys()]
    for allowed in PROJECT_SETTINGS:
        assert any(key == allowed or key.startswith(f"{allowed}.") for key in keys)


@pytest.mark.parametrize("name", ["auto", "mine"])
@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("forbidden", ["embedding.url", "ingest.confirm_removals_above", "notebook.history", "recipes"])
def test_a_recipe_with_forbidden_settings_is_an_error_when_it_is_read(name: str, forbidden: str, trusted: bool) -> None:
    section, _, key = forbidden.partition(".")
    values = {"recipes": {name: {"base": "auto", "settings": {section: {key: "1"} if key else {}}}}}
    with pytest.raises(SettingsError, match=rf"recipes\.{name}\.settings"):
        make_layer("waymeet.toml", values, trusted=trusted)


@pytest.mark.parametrize(
    "text",
    ["tool = 1", "[tool]\nwaymeet = 1", '[tool]\nwaymeet = "rrf"', "a = " + "[" * 20_000, f"a = {'9' * 5000}", "\xff"],
)
def test_a_strange_project_file_is_an_error_or_nothing(tmp_path: Path, text: str) -> None:
    for name in ("pyproject.toml", "waymeet.toml"):
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        with contextlib.suppress(SettingsError):
            from_project(tmp_path)


def test_a_project_file_is_read_only_if_it_is_a_small_file_of_its_own(tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text("[rrf]\nk = 5\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "waymeet.toml").symlink_to(outside)
    with pytest.raises(SettingsError, match="cannot be read"):
        from_project(root)
    (root / "waymeet.toml").unlink()
    (root / "pyproject.toml").symlink_to("/dev/zero")
    assert from_project(root).values == {}


@pytest.mark.parametrize(
    "flag", ["rrf.k=-1", "bm25.k1=nan", "bm25.k1=inf", "embedding.dimension=-1", "shape.limit=-1", "bm25.b.body=2"]
)
def test_a_number_out_of_range_is_refused(flag: str) -> None:
    with pytest.raises(SettingsError):
        from_flag(flag)


def test_pyproject_is_read_only_without_a_file_of_our_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.waymeet.rrf]\nk = 5\n")
    assert from_project(tmp_path).values == {"rrf": {"k": 5}}
    (tmp_path / "waymeet.toml").write_text("[rrf]\nk = 6\n")
    assert from_project(tmp_path).values == {"rrf": {"k": 6}}


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "waymeet.toml").write_text("[rrf\n")
    with pytest.raises(SettingsError, match="not valid TOML"):
        from_project(tmp_path)


def test_an_unknown_variable_is_an_error() -> None:
    with pytest.raises(SettingsError, match="WAYMEET_RRF_KK"):
        from_environment({"WAYMEET_RRF_KK": "1"})


def test_variables_and_flags_read_every_type() -> None:
    assert from_environment({"WAYMEET_INGEST_MAX_FILE_BYTES": "10"})[0].values == {"ingest": {"max_file_bytes": 10}}
    assert from_flag("ingest.ignore=*.log, tmp/").values == {"ingest": {"ignore": ("*.log", "tmp/")}}
    with pytest.raises(SettingsError, match=r"rrf\.k"):
        from_flag("rrf.k=soon")
    with pytest.raises(SettingsError, match=r"section\.key=value"):
        from_flag("rrf.k")


def test_every_variable_names_one_setting() -> None:
    names = [key.replace(".", "_") for key, _ in list_keys()]
    assert len(names) == len(set(names))


def test_recipes_override_only_settings_that_exist() -> None:
    for recipe in RECIPES.values():
        make_layer(recipe.name, recipe.overrides)


def test_descriptions_name_existing_settings() -> None:
    assert set(descriptions()) <= {key for key, _ in list_keys()}
    assert "graph.fan_out" in descriptions()
