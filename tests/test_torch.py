"""With torch's CPU build: benchmarks that use it are recorded, and it is part of their environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import scratch
from tests.scratch import Scratch

pytestmark = pytest.mark.torch

BENCHMARKS = """
import perftrack as pt


@pt.benchmark(params={"n": [64]}, flops=lambda n: 2 * n**3, device="cpu")
def matmul(n):
    import torch

    torch.manual_seed(0)
    a = torch.randn(n, n)
    return lambda: a @ a


@pt.benchmark(device="cuda")
def on_a_gpu():
    import torch

    a = torch.randn(8, device="cuda")
    return lambda: a + a


@pt.benchmark
def plain():
    return lambda: sum(range(100))
"""
CONFIG = "processes = 2\nwindows = 2\nwindow = 0.01\n"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    pytest.importorskip("torch")
    repo = scratch.make(tmp_path_factory.mktemp("torch") / "project", benchmarks=BENCHMARKS, config=CONFIG)
    done = repo.run("record", replayed=False, apart=True)
    assert done.code == 0, done.err
    return repo


def measurements(repo: Scratch) -> dict[str, dict]:
    document = repo.run("show", "--json", replayed=False).document
    return {m["case"]: m for m in document["measurements"]}


def test_work_on_the_cpu_is_measured_and_names_its_torch(recorded: Scratch) -> None:
    import torch

    matmul = measurements(recorded)["matmul[n=64]"]
    assert matmul["status"] == "ok"
    assert 1e-7 < matmul["value"] < 1e-2
    assert matmul["fingerprint"]["fields"]["torch_version"] == torch.__version__


def test_whether_torch_was_imported_yet_makes_no_other_environment(recorded: Scratch) -> None:
    found = measurements(recorded)
    assert found["plain"]["status"] == "ok"
    assert found["plain"]["lane"] == found["matmul[n=64]"]["lane"]


def test_a_device_that_is_not_there_is_no_measurement(recorded: Scratch) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    assert measurements(recorded)["on_a_gpu"]["status"] in {"failed", "skipped"}


def test_python_api_measures_it(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    import perftrack as pt

    a = torch.randn(64, 64)
    result = pt.measure(lambda: a @ a, device="cpu")
    assert result.ci95_lo_ms <= result.median_ms <= result.ci95_hi_ms
