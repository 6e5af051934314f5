"""The real ncu: a counter read, and exactly the launches of one call profiled, of torch and of Triton."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from perftrack.errors import ProfileError
from tests import scratch
from tests.scratch import Scratch

torch: Any = pytest.importorskip("torch")
probe = pytest.importorskip("perftrack.ncu.probe")
tool = pytest.importorskip("perftrack.ncu.tool")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]
TRITON = importlib.util.find_spec("triton") is not None
PACKAGE = importlib.util.find_spec("ncu_report") is not None

BENCHMARKS = """
import perftrack as pt
import torch


@pt.benchmark(device="cuda")
def one():
    x = torch.randn(2**24, device="cuda")
    for _ in range(5):  # launches of the set-up are not the case's
        x.mul_(0.5)
    yield lambda: x.add_(1.0)
    x.zero_()


@pt.benchmark(device="cuda")
def three():
    x = torch.randn(2**20, device="cuda")

    def work():
        x.add_(1.0)
        x.mul_(2.0)
        x.sub_(1.0)

    return work


@pt.benchmark(device="cuda")
def backward():
    x = torch.randn(1024, device="cuda", requires_grad=True)

    def step():
        x.grad = None
        x.exp().sum().backward()

    return step


@pt.benchmark(device="cpu")
def on_the_host():
    return lambda: sum(range(1000))
"""

SCALE = """
import triton
import triton.language as tl


@triton.jit
def scale_by_two(out, x, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets) * 2)


@pt.benchmark(device="cuda")
def scale():
    x = torch.randn(2**24, device="cuda")
    out = torch.empty_like(x)
    return lambda: scale_by_two[(2**24 // 1024,)](out, x, BLOCK=1024)
"""


@pytest.fixture(scope="module")
def ncu() -> Any:
    try:
        return tool.find_tool()
    except ProfileError as error:
        pytest.skip(error.message)


@pytest.fixture(scope="module")
def profiled(ncu: Any, tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """Two commits with the same benchmarks, both recorded and profiled."""
    benchmarks = BENCHMARKS + (SCALE if TRITON else "")
    repo = scratch.make(tmp_path_factory.mktemp("ncu") / "project", benchmarks=benchmarks, config="")
    repo.commit("The same again")
    options = ("--quick", "--processes", "2", "--ncu")
    done = repo.run("record", *options, "HEAD~1", "HEAD", replayed=False, apart=True, timeout=900)
    print(done.out, done.err)
    assert done.code == 0, done.err
    assert "not-profiled" not in done.err
    return repo


def launches(repo: Scratch, case: str) -> list[dict[str, Any]]:
    done = repo.run("ncu", "show", "HEAD", "--json", replayed=False)
    assert done.code == 0, done.err
    return [x for x in json.loads(done.out)["launches"] if x["case"] == case]


def test_the_probe_reads_a_counter_of_a_kernel(ncu: Any) -> None:
    assert probe.Probe(ncu, sys.executable).read_counter() >= 1


def test_one_call_is_one_launch_with_its_bytes(profiled: Scratch) -> None:
    (launch,) = launches(profiled, "one")
    print(json.dumps(launch, indent=1))
    assert launch["duration_ns"] > 1000
    assert 0.9 * 2**26 < launch["dram_read_bytes"] < 1.2 * 2**26
    assert launch["instructions"] > 0
    assert launch["registers"] > 0
    assert launch["l2_hit_pct"] is not None
    assert launch["sectors_per_request"] is not None
    assert launch["local_bytes"] == 0
    assert launch["unparsed"] == []


def test_every_launch_of_a_call_is_there_in_order(profiled: Scratch) -> None:
    assert len(launches(profiled, "three")) == 3


def test_a_backward_pass_in_another_thread_is_there(profiled: Scratch) -> None:
    assert len(launches(profiled, "backward")) >= 4


def test_what_runs_on_the_host_has_no_profile(profiled: Scratch) -> None:
    assert launches(profiled, "on_the_host") == []


@pytest.mark.skipif(not TRITON, reason="no Triton")
def test_a_triton_kernel_is_known_by_its_name(profiled: Scratch) -> None:
    (launch,) = launches(profiled, "scale")
    assert "scale_by_two" in launch["kernel"]
    assert launch["flops"] is None or launch["flops"] >= 2**24


@pytest.mark.skipif(not PACKAGE, reason="no ncu-report")
def test_the_same_code_is_seen_to_be_the_same(profiled: Scratch) -> None:
    done = profiled.run("ncu", "diff", "HEAD~1", "HEAD", "--json", replayed=False)
    for case in json.loads(done.out)["cases"]:
        assert case["comparable"], case["obstacles"]
        assert not case["added"], case
        assert not case["removed"], case
        for launch in case["launches"]:
            assert launch["code_hash"], launch["kernel"]
            assert launch["findings"][0]["code"] == "same-code", launch


def test_doctor_reads_a_counter(profiled: Scratch) -> None:
    done = profiled.run("doctor", "--device", "cuda", "--json", replayed=False, apart=True, timeout=300)
    (found,) = [f for f in json.loads(done.out)["findings"] if f["name"] == "ncu"]
    print(found["seen"], found["advice"])
    assert found["status"] == "ok", found


def test_a_command_is_profiled_and_its_report_kept(ncu: Any, tmp_path: Path) -> None:
    program = (
        "import torch; x = torch.ones(2**20, device='cuda'); x.add_(1); torch.cuda.synchronize(); print('done')"
    )
    command = ("ncu", "run", "--json", "-o", "kept", "--", sys.executable, "-c", program)
    done = Scratch(tmp_path).run(*command, replayed=False, apart=True, timeout=300)
    assert done.code == 0, done.err
    assert "done" in done.err
    assert len(json.loads(done.out)["launches"]) >= 2
    assert (tmp_path / "kept.ncu-rep").stat().st_size > 1000
