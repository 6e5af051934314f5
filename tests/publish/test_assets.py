"""Templates and static files are found, and the vendored libraries are the ones that Altair asks for."""

import hashlib
import json
from pathlib import Path

import pytest

import perftrack
from perftrack.errors import PublishError
from perftrack.publish.assets import asset_root, static_files


def versions() -> dict[str, dict[str, object]]:
    return json.loads((asset_root() / "static/vendor/VERSIONS.json").read_text())


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.lstrip("v").split("."))


def test_a_checkout_is_found() -> None:
    assert (asset_root() / "templates" / "base.html").is_file()


def test_an_installed_package_is_found_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("templates", "static"):
        (tmp_path / "perftrack" / "_site" / folder).mkdir(parents=True)
    monkeypatch.setattr(perftrack, "__path__", [str(tmp_path / "perftrack")])
    assert asset_root() == tmp_path / "perftrack" / "_site"


def test_missing_templates_say_where_was_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perftrack, "__path__", [str(tmp_path / "perftrack")])
    with pytest.raises(PublishError, match="_site"):
        asset_root()


def test_static_files_come_in_a_fixed_order() -> None:
    paths = [path for path, _ in static_files(asset_root())]
    assert paths == sorted(paths)
    assert "static/vendor/vega/vega.min.js" in paths


@pytest.mark.parametrize("name", sorted(versions()))
def test_a_vendored_file_is_what_was_published(name: str) -> None:
    entry = versions()[name]
    content = (asset_root() / "static/vendor" / str(entry["file"])).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"]


@pytest.mark.parametrize("name", sorted(versions()))
def test_a_vendored_library_keeps_its_licences(name: str) -> None:
    folder = asset_root() / "static/vendor" / name
    assert "Redistribution" in (folder / "LICENSE").read_text()
    bundled = (folder / "LICENSE-bundled.txt").read_text()
    assert all(package in bundled for package in versions()[name]["bundles"])  # type: ignore[attr-defined]


def test_vega_lite_is_new_enough_for_what_altair_emits() -> None:
    import altair

    vendored, wanted = numbers(str(versions()["vega-lite"]["version"])), numbers(altair.SCHEMA_VERSION)
    assert vendored >= wanted


def test_vega_and_vega_embed_are_the_major_versions_that_altair_names() -> None:
    import altair

    if numbers(altair.SCHEMA_VERSION)[0] != numbers(str(versions()["vega-lite"]["version"]))[0]:
        pytest.skip("an older Altair than the vendored Vega-Lite")
    assert str(versions()["vega"]["version"]).split(".")[0] == altair.VEGA_VERSION.split(".")[0]
    assert str(versions()["vega-embed"]["version"]).split(".")[0] == altair.VEGAEMBED_VERSION.split(".")[0]


def test_vega_embed_carries_the_expression_interpreter() -> None:
    assert "vega-interpreter" in versions()["vega-embed"]["bundles"]  # type: ignore[operator]


def test_no_static_file_of_ours_asks_another_origin() -> None:
    for path, file in static_files(asset_root()):
        if path.startswith("static/app/"):
            text = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert "http://" not in text, path
            assert "https://" not in text, path
