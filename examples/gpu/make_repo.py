"""Creates a small Git repository of GPU kernels with benchmarks: three commits, the second one slower.

    python examples/gpu/make_repo.py DIRECTORY

The package has a Triton softmax and a few torch operations. The second commit makes the Triton kernel read
its row twice from memory; the third restores it. Standard library only; needs git on PATH.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOFTMAX = '''"""Row-wise softmax in Triton."""

import torch
import triton
import triton.language as tl


@triton.jit
def _softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
{body}
    tl.store(out + row * columns + offsets, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    out = torch.empty_like(x)
    rows, columns = x.shape
    _softmax[(rows,)](out, x, columns, BLOCK=triton.next_power_of_2(columns), num_warps=8)
    return out
'''

ONE_READ = """    values = tl.load(x + row * columns + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(values - tl.max(values, axis=0))
"""

# The maximum over shifted reads of the row: more loads of the same bytes, the same result.
MANY_READS = """    peak = -float("inf")
    for shift in tl.static_range(0, 8):
        index = (offsets + shift * 17) % columns
        part = tl.load(x + row * columns + index, mask=mask, other=-float("inf")).to(tl.float32)
        peak = tl.maximum(peak, tl.max(part, axis=0))
    values = tl.load(x + row * columns + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(values - peak)
"""

OPERATIONS = '''"""Operations on tensors."""

import torch


def gelu_bias(x, bias):
    return torch.nn.functional.gelu(x + bias, approximate="tanh")


def rms_norm(x, eps=1e-6):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
'''

BENCHMARKS = """import perftrack as pt


def tensor(*shape, dtype="bfloat16"):
    import torch

    if not torch.cuda.is_available():
        pt.skip("needs a CUDA device")
    return torch.randn(*shape, device="cuda", dtype=getattr(torch, dtype))


@pt.benchmark(params={"n": [1024, 8192]}, tags=["gemm"], device="cuda", flops=lambda n: 2 * n**3)
def matmul(n):
    import torch

    a, b = tensor(n, n), tensor(n, n)
    out = torch.empty_like(a)
    return lambda: torch.matmul(a, b, out=out)


@pt.benchmark(tags=["memory"], device="cuda", bytes=2 * 2**30)
def copy_1gib():
    a = tensor(2**29)
    b = a.clone()
    return lambda: b.copy_(a)


@pt.benchmark(tags=["norm"], device="cuda")
def layer_norm():
    import torch

    x = tensor(4096, 4096)
    return lambda: torch.nn.functional.layer_norm(x, (4096,))


@pt.benchmark(tags=["elementwise"], device="cuda")
def gelu_bias():
    from kernelkit.operations import gelu_bias as work

    x, bias = tensor(8192, 4096), tensor(4096)
    return lambda: work(x, bias)


@pt.benchmark(tags=["elementwise", "tiny"], device="cuda")
def tiny_add():
    import torch

    x = tensor(4096)
    out = torch.empty_like(x)
    return lambda: torch.add(x, 1, out=out)


def torch_softmax(columns):
    import torch

    x = tensor(8192, columns, dtype="float32")
    return lambda: torch.softmax(x, -1)


@pt.benchmark(params={"columns": [4096]}, tags=["triton"], device="cuda", baseline=torch_softmax,
              bytes=lambda columns: 2 * 4 * 8192 * columns)
def triton_softmax(columns):
    import torch

    from kernelkit.softmax import softmax

    x = tensor(8192, columns, dtype="float32")
    torch.testing.assert_close(softmax(x), torch.softmax(x, -1), rtol=1e-4, atol=1e-6)
    return lambda: softmax(x)
"""

COMMITS = (
    ("Add a Triton softmax and two tensor operations", ONE_READ),
    ("Find the row's maximum in a loop of its own", MANY_READS),
    ("Read each row once again", ONE_READ),
)


def git(root: Path, *arguments: str, when: int = 0) -> None:
    """Run git in `root` with a fixed identity and date, untouched by the user's configuration."""
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Kernel Author",
        "GIT_AUTHOR_EMAIL": "author@example.org",
        "GIT_COMMITTER_NAME": "Kernel Author",
        "GIT_COMMITTER_EMAIL": "author@example.org",
        "GIT_AUTHOR_DATE": f"{1_750_000_000 + 86_400 * when} +0000",
        "GIT_COMMITTER_DATE": f"{1_750_000_000 + 86_400 * when} +0000",
    }
    subprocess.run(["git", "-C", str(root), *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)


def make(root: Path) -> None:
    (root / "src/kernelkit").mkdir(parents=True)
    (root / "benchmarks").mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "benchmarks/bench_kernels.py").write_text(BENCHMARKS)
    (root / "src/kernelkit/__init__.py").touch()
    (root / "src/kernelkit/operations.py").write_text(OPERATIONS)
    for number, (subject, body) in enumerate(COMMITS):
        (root / "src/kernelkit/softmax.py").write_text(SOFTMAX.replace("{body}\n", body))
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", subject, when=number)


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: make_repo.py DIRECTORY  (which must not exist yet)")
    make(Path(sys.argv[1]))
