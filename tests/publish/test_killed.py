"""A build that is killed leaves the site as it was, and the next one is none the worse for it."""

import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from perftrack.publish.site import build_site
from tests.publish.synthetic import SyntheticHistory, default_shapes
from tests.publish.test_site import files

ROOT = Path(__file__).parent.parent.parent
BUILD = """
    import pathlib, sys, time
    from perftrack.publish import recorded, site
    from perftrack.publish.site import build_site
    from tests.publish.synthetic import SyntheticHistory, default_shapes

    def stop(*rest):
        print("there", flush=True)
        time.sleep(60)

    {name} = stop
    build_site(SyntheticHistory(7, default_shapes(40)), pathlib.Path(sys.argv[1]))
"""


@pytest.mark.parametrize("name", ["recorded.RunFiles", "site.series_files", "site.SiteWriter.publish"])
def test_a_killed_build_leaves_the_old_site(tmp_path: Path, name: str) -> None:
    build_site(SyntheticHistory(6, default_shapes(40)), tmp_path / "site")
    before = files(tmp_path / "site")
    script = textwrap.dedent(BUILD.format(name=name))
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "site")], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "there\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    left = {p: c for p, c in files(tmp_path / "site").items() if not p.startswith(".perftrack-staging/")}
    assert left == before
    build_site(SyntheticHistory(7, default_shapes(40)), tmp_path / "site")
    build_site(SyntheticHistory(7, default_shapes(40)), tmp_path / "fresh")
    assert files(tmp_path / "site") == files(tmp_path / "fresh")


@pytest.mark.parametrize("moves", [1, 5, 12])
def test_a_build_killed_while_it_moves_files_is_completed_by_the_next(tmp_path: Path, moves: int) -> None:
    build_site(SyntheticHistory(6, default_shapes(40)), tmp_path / "site")
    script = textwrap.dedent(f"""
        import os, pathlib, signal, sys
        from perftrack.publish.site import build_site
        from perftrack.publish.write import SiteWriter
        from tests.publish.synthetic import SyntheticHistory, default_shapes

        real, left = SiteWriter._put, [{moves}]
        def put(self, *rest):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(self, *rest)

        SiteWriter._put = put
        build_site(SyntheticHistory(7, default_shapes(40)), pathlib.Path(sys.argv[1]))
    """)
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "site")], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "site" / "index.html").is_file()
    build_site(SyntheticHistory(7, default_shapes(40)), tmp_path / "site")
    build_site(SyntheticHistory(7, default_shapes(40)), tmp_path / "fresh")
    assert files(tmp_path / "site") == files(tmp_path / "fresh")
