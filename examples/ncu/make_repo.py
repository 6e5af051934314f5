"""Creates a small Git repository of GPU kernels: two commits, the second one slower for reasons that are known.

    python examples/ncu/make_repo.py DIRECTORY

The second commit makes a Triton kernel read with a stride, gives each thread of another one eight times the work
and with it more registers, and stores a table of a torch operation the other way round. One torch operation stays
as it is. Standard library only; needs git on PATH.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCALE = '''"""Scale a vector in Triton."""

import torch
import triton
import triton.language as tl


@triton.jit
def _scale(out, x, factor, programs, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    offsets = {offsets}
    tl.store(out + offsets, tl.load(x + offsets) * factor)


def scale(x, factor, block=1024):
    out = torch.empty_like(x)
    programs = x.numel() // block
    _scale[(programs,)](out, x, factor, programs, BLOCK=block, num_warps=8)
    return out
'''
SIDE_BY_SIDE = "program * BLOCK + tl.arange(0, BLOCK)"
FAR_APART = "program + tl.arange(0, BLOCK) * programs"

SOFTMAX = '''"""Row-wise softmax in Triton."""

import torch
import triton
import triton.language as tl

WARPS = {warps}


@triton.jit
def _softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row * columns + offsets, mask=mask, other=-float("inf"))
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + offsets, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    out = torch.empty_like(x)
    rows, columns = x.shape
    _softmax[(rows,)](out, x, columns, BLOCK=triton.next_power_of_2(columns), num_warps=WARPS)
    return out
'''

OPERATIONS = '''"""Operations on tensors."""

import torch


def gelu(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def make_table(rows, columns):
    """What `add_table` adds: made once."""
    return {table}


def add_table(x, table):
    return x + table
'''
ROW_BY_ROW = 'torch.ones(rows, columns, device="cuda")'
COLUMN_BY_COLUMN = 'torch.ones(columns, rows, device="cuda").t()'

BENCHMARKS = """import perftrack as pt


def tensor(*shape):
    import torch

    if not torch.cuda.is_available():
        pt.skip("needs a CUDA device")
    return torch.randn(*shape, device="cuda")


@pt.benchmark(tags=["triton"], device="cuda", bytes=2 * 4 * 2**26, flops=2**26)
def scale():
    import torch

    from kernelkit.scale import scale as work

    x = tensor(2**26)
    torch.testing.assert_close(work(x, 2.0), x * 2.0)
    return lambda: work(x, 2.0)


@pt.benchmark(tags=["triton"], device="cuda", bytes=2 * 4 * 8192 * 4096)
def softmax():
    import torch

    from kernelkit.softmax import softmax as work

    x = tensor(8192, 4096)
    torch.testing.assert_close(work(x), torch.softmax(x, -1), rtol=1e-4, atol=1e-6)
    return lambda: work(x)


@pt.benchmark(tags=["torch"], device="cuda", bytes=2 * 4 * 8192 * 4096)
def gelu():
    from kernelkit.operations import gelu as work

    x = tensor(8192, 4096)
    return lambda: work(x)


@pt.benchmark(tags=["torch"], device="cuda", bytes=3 * 4 * 8192 * 4096)
def add_table():
    from kernelkit.operations import add_table as work, make_table

    x, table = tensor(8192, 4096), make_table(8192, 4096)
    return lambda: work(x, table)


@pt.benchmark(tags=["torch"], device="cuda")
def backward():
    import torch

    # The backward pass runs in a thread of its own.
    x, weight = tensor(4096, 1024), tensor(1024, 1024).requires_grad_()

    def step():
        weight.grad = None
        torch.nn.functional.gelu(x @ weight).sum().backward()

    return step
"""

COMMITS = (
    ("Add kernels and tensor operations", SIDE_BY_SIDE, 8, ROW_BY_ROW),
    ("Spread programs over the vector, one warp a row, a table by columns", FAR_APART, 1, COLUMN_BY_COLUMN),
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
        "GIT_AUTHOR_DATE": f"{1_760_000_000 + 86_400 * when} +0000",
        "GIT_COMMITTER_DATE": f"{1_760_000_000 + 86_400 * when} +0000",
    }
    subprocess.run(["git", "-C", str(root), *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)


def make(root: Path) -> None:
    package = root / "src/kernelkit"
    package.mkdir(parents=True)
    (root / "benchmarks").mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / "benchmarks/bench_kernels.py").write_text(BENCHMARKS)
    (package / "__init__.py").touch()
    for number, (subject, offsets, warps, table) in enumerate(COMMITS):
        (package / "scale.py").write_text(SCALE.replace("{offsets}", offsets))
        (package / "softmax.py").write_text(SOFTMAX.replace("{warps}", str(warps)))
        (package / "operations.py").write_text(OPERATIONS.replace("{table}", table))
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", subject, when=number)


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("usage: make_repo.py DIRECTORY  (which must not exist yet)")
    make(Path(sys.argv[1]))
