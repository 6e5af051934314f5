"""Whole builds: every page is there, the same twice, escaped, and asks nobody else."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from perftrack.core.fingerprint import EnvironmentFingerprint
from perftrack.core.history import Lane, RunSummary
from perftrack.core.model import Commit
from perftrack.core.pointtable import RunDetail
from perftrack.errors import PublishError
from perftrack.publish import specifications
from perftrack.publish.marker import MARKER, STAGING
from perftrack.publish.signatures import SIGNATURES
from perftrack.publish.site import BuildReport, build_site
from perftrack.publish.specifications import CHARTS
from perftrack.publish.write import open_site
from tests.publish.synthetic import HOSTILE, IMAGE, SCRIPT, Shape, SyntheticHistory, default_shapes
from tests.publish.unpacking import unpacked

OURS = (MARKER, SIGNATURES)  # no part of the site, but of the next build
POLICY = (
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self' data:;base-uri 'none';form-action 'none'"
)
URLS = ("href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href")


class Hostile(SyntheticHistory):
    """Text from outside is hostile wherever a source has text."""

    def __init__(self) -> None:
        shapes = (
            Shape(SCRIPT, (("p", IMAGE),), 1e-3, gpu=False, tags=HOSTILE),
            Shape(IMAGE, (), 2e-3, metric=SCRIPT, unit=IMAGE, gpu=False, fails=(3,)),
            Shape("../../escape", (), 3e-3, gpu=False),
        )
        super().__init__(4, shapes, remote_url="javascript:alert(1)", name=SCRIPT)

    def commits(self) -> Sequence[Commit]:
        return [replace(c, subject=IMAGE, author=SCRIPT) for c in super().commits()]

    def runs(self) -> Sequence[RunSummary]:
        return [replace(r, host=SCRIPT, label=IMAGE, perftrack_version=SCRIPT) for r in super().runs()]

    def details(self) -> Mapping[str, RunDetail]:
        return {i: replace(d, settings={SCRIPT: IMAGE}) for i, d in super().details().items()}

    def lanes(self) -> Sequence[Lane]:
        bad = EnvironmentFingerprint(cpu_model=SCRIPT, host=IMAGE, os=HOSTILE[2], gpu_name=None)
        return [replace(lane, fingerprint=bad) for lane in super().lanes()]


class Page(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        self._in: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag if tag in ("script", "style") else None

    def handle_endtag(self, tag: str) -> None:
        self._in = None

    def handle_data(self, data: str) -> None:
        if self._in and data.strip():
            self.inline.append(data)


def build(source: SyntheticHistory, output: Path, base_url: str | None = None) -> BuildReport:
    return build_site(source, output, base_url=base_url)


def files(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def pages(root: Path) -> dict[str, str]:
    return {path: content.decode() for path, content in files(root).items() if path.endswith(".html")}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("usual") / "site"
    build(SyntheticHistory(30), output)
    return output


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("hostile") / "site"
    build(Hostile(), output)
    return output


def test_there_is_a_page_for_everything(usual: Path) -> None:
    found = pages(usual)
    benchmarks = {s.benchmark for s in SyntheticHistory(30).shapes}
    assert sum(p.startswith("benchmarks/") for p in found) == len(benchmarks)
    assert len(list((usual / "data/runs").iterdir())) == 30
    assert {"index.html", "runs.html", "run.html", "environments.html", "method.html"} <= set(found)


def test_the_same_source_gives_the_same_bytes(usual: Path, tmp_path: Path) -> None:
    build(SyntheticHistory(30), tmp_path / "again")
    assert files(tmp_path / "again") == files(usual)


def test_building_again_writes_nothing(tmp_path: Path) -> None:
    build(SyntheticHistory(4), tmp_path)
    report = build(SyntheticHistory(4), tmp_path)
    assert (report.written, report.removed) == (0, 0)
    assert report.unchanged == len(files(tmp_path)) - len(OURS)


def test_a_project_that_was_renamed_is_called_so_in_every_file(tmp_path: Path) -> None:
    build(SyntheticHistory(4), tmp_path / "site")
    build(SyntheticHistory(4, name="another"), tmp_path / "site")
    build(SyntheticHistory(4, name="another"), tmp_path / "fresh")
    assert files(tmp_path / "site") == files(tmp_path / "fresh")


def test_charts_that_were_cut_off_are_made_again(tmp_path: Path) -> None:
    build(SyntheticHistory(4), tmp_path)
    charts = tmp_path / CHARTS
    whole = charts.read_bytes()
    charts.write_bytes(whole[:-100])
    build(SyntheticHistory(4), tmp_path)
    assert charts.read_bytes() == whole


def test_charts_in_another_format_of_packed_files_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(SyntheticHistory(4), tmp_path)
    charts = tmp_path / CHARTS
    whole = charts.read_bytes()
    with monkeypatch.context() as before:
        before.setattr(specifications, "FORMAT", "former")
        specifications.signature.cache_clear()
        with open_site(tmp_path) as writer:
            for path in files(tmp_path):
                if path not in OURS and not path.startswith(STAGING):
                    content = b"in a former format" if path == CHARTS else (tmp_path / path).read_bytes()
                    writer.add(path, content, specifications.signature())
            writer.publish()
    specifications.signature.cache_clear()
    build(SyntheticHistory(4), tmp_path)
    assert charts.read_bytes() == whole


def test_a_report_counts_what_is_there(tmp_path: Path) -> None:
    report = build(SyntheticHistory(4), tmp_path)
    found = files(tmp_path)
    for name in OURS:
        del found[name]
    assert (report.pages, report.written) == (len(pages(tmp_path)), len(found))
    assert report.bytes == sum(len(content) for content in found.values())


def test_a_new_commit_leaves_older_runs_as_they_are(tmp_path: Path) -> None:
    shapes = default_shapes(40)
    build(SyntheticHistory(12, shapes), tmp_path)
    before = files(tmp_path)
    build(SyntheticHistory(13, shapes), tmp_path)
    after = files(tmp_path)
    changed = {path for path in before if before[path] != after.get(path)}
    kept = ("data/runs/", "data/samples/", "data/environments/", "static/", "benchmarks/")
    assert not any(path.startswith(kept) for path in changed)
    assert any(path.startswith("data/series/") for path in changed)


def test_pages_of_what_is_gone_are_removed(tmp_path: Path) -> None:
    build(SyntheticHistory(6), tmp_path)
    report = build(SyntheticHistory(4), tmp_path)
    assert report.removed == 6  # two runs, with the samples that were shown and those for other programs
    assert len(list((tmp_path / "data/runs").iterdir())) == 4


def test_every_link_inside_the_site_leads_somewhere(usual: Path) -> None:
    found = files(usual)
    for path, text in pages(usual).items():
        for _, attributes in Page(text).tags:
            for name in ("href", "src"):
                target = (attributes.get(name) or "").partition("#")[0]
                if not target or target.startswith("https://github.com/example/kernels"):
                    continue
                resolved = (Path(path).parent / target).as_posix()
                parts: list[str] = []
                for part in resolved.split("/"):
                    parts = parts[:-1] if part == ".." else [*parts, part]
                assert "/".join(p for p in parts if p != ".") in found, (path, target)


def test_data_links_lead_somewhere(usual: Path) -> None:
    data = unpacked((usual / "data/overview.js").read_bytes()).document
    for page, key in zip(data["page"], data["key"], strict=True):
        assert (usual / page).is_file()
        assert (usual / f"data/series/{key}.js").is_file()
    scripts = re.findall(r'"(static/[\w/.-]+\.js)"', (usual / "data/shell.js").read_text())
    assert "static/app/benchmark.js" in scripts
    assert all((usual / script).is_file() for script in scripts)


def test_a_benchmark_s_page_is_small_and_names_what_it_needs(usual: Path) -> None:
    shells = {path: text for path, text in pages(usual).items() if path.startswith("benchmarks/")}
    for path, text in shells.items():
        names = [tag for tag, _ in Page(text).tags]
        assert text.startswith("<!doctype html><html lang=en ")
        assert names.count("script") == 1 and names.index("script") < names.index("body"), path
        assert {"title", "noscript", "a"} <= set(names), path
    softmax = next(text for path, text in shells.items() if path.startswith("benchmarks/softmax-"))
    assert len(softmax.encode()) < 580
    assert "<title>softmax · " in softmax and "<h1>softmax</h1>" in softmax


@pytest.mark.parametrize("which", ["usual", "hostile"])
def test_every_page_has_the_policy_and_nothing_inline(which: str, request: pytest.FixtureRequest) -> None:
    for path, text in pages(request.getfixturevalue(which)).items():
        page = Page(text)
        policies = [a["content"] for tag, a in page.tags if tag == "meta" and a.get("http-equiv")]
        assert [policy.replace("; ", ";") for policy in policies] == [POLICY], path
        for tag, attributes in page.tags:
            assert tag != "style", path
            assert not [name for name in attributes if name.startswith("on") or name == "style"], (path, tag)
            if tag == "script":
                assert attributes.get("src") or attributes.get("type") == "application/json", path
        for data in page.inline:
            json.loads(data)


@pytest.mark.parametrize("which", ["usual", "hostile"])
def test_pages_ask_nothing_of_other_origins(which: str, request: pytest.FixtureRequest) -> None:
    for path, text in pages(request.getfixturevalue(which)).items():
        for tag, attributes in Page(text).tags:
            if tag in ("script", "link", "img"):
                target = attributes.get("src") or attributes.get("href") or ""
                assert not re.match(r"[a-z]+:|//", target), (path, target)


def test_hostile_text_makes_no_element_and_no_attribute(hostile: Path) -> None:
    for path, text in pages(hostile).items():
        page = Page(text)
        assert not [tag for tag, _ in page.tags if tag == "img"], path
        scripts = [a for tag, a in page.tags if tag == "script"]
        assert all("src" in a or a.get("type") == "application/json" for a in scripts), path
        for tag, attributes in page.tags:
            assert "onerror" not in attributes, path
            for name in URLS:
                assert not (attributes.get(name) or "").strip().lower().startswith("javascript:"), (path, tag)


def test_hostile_text_is_still_shown(hostile: Path) -> None:
    text = (hostile / "index.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_hostile_text_cannot_end_a_data_block(hostile: Path) -> None:
    for path, text in pages(hostile).items():
        assert text.lower().count("<script") == text.lower().count("</script>"), path


def test_hostile_names_stay_inside_their_folder(hostile: Path) -> None:
    assert all(re.fullmatch(r"[\w./-]+", path) for path in files(hostile))
    assert not (hostile.parent / "escape").exists()


def test_a_hostile_remote_gives_no_link(hostile: Path) -> None:
    assert all("Repository" not in text for text in pages(hostile).values())


def test_an_empty_history_says_what_to_run(tmp_path: Path) -> None:
    build(SyntheticHistory(0, shapes=()), tmp_path)
    assert "perftrack record" in (tmp_path / "index.html").read_text()
    assert "perftrack record" in (tmp_path / "runs.html").read_text()
    assert "perftrack env" in (tmp_path / "environments.html").read_text()


def test_one_commit_says_how_to_get_a_second(tmp_path: Path) -> None:
    build(SyntheticHistory(1), tmp_path)
    assert "nothing to compare yet" in (tmp_path / "index.html").read_text()


def test_a_base_address_makes_canonical_links(tmp_path: Path) -> None:
    build(SyntheticHistory(1), tmp_path, "https://example.org/perf/")
    found = pages(tmp_path)
    assert '<link rel="canonical" href="https://example.org/perf/">' in found["index.html"]
    assert '<link rel="canonical" href="https://example.org/perf/runs.html">' in found["runs.html"]
    path, shell = next((path, text) for path, text in found.items() if path.startswith("benchmarks/"))
    canonical = [a["href"] for tag, a in Page(shell).tags if a.get("rel") == "canonical"]
    assert canonical == [f"https://example.org/perf/{path}"]


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "example.org", "ftp://example.org/", "https://", "http://[x", "https://a b/"]
    + [f"https://example.org/{wrong}" for wrong in ("\x01", "\n", "\udcff", "?a=1", "#top")],
)
def test_a_base_address_that_is_none_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(PublishError, match="not an address"):
        build(SyntheticHistory(1), tmp_path / "out", address)
    assert not (tmp_path / "out").exists()


def test_a_source_that_fails_leaves_the_old_site(tmp_path: Path) -> None:
    class Failing(SyntheticHistory):
        def details(self) -> Mapping[str, RunDetail]:
            raise OSError("the store went away")

    build(SyntheticHistory(4), tmp_path)
    before = files(tmp_path)
    with pytest.raises(OSError, match="went away"):
        build(Failing(5), tmp_path)
    assert files(tmp_path) == before
