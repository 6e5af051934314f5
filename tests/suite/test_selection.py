"""Which cases a pattern means."""

import pytest

from perftrack.errors import UsageError
from perftrack.suite.messages import Declared, Kind
from perftrack.suite.selection import select

SUITE = (
    Declared(
        "matmul",
        Kind.BENCHMARK,
        "benchmarks/bench_gemm.py:3",
        cases=((("n", 1024), ("dtype", "bf16")), (("n", 4096), ("dtype", "bf16"))),
        file="benchmarks/bench_gemm.py",
    ),
    Declared("softmax", Kind.BENCHMARK, "benchmarks/soft/bench_soft.py:9", file="benchmarks/soft/bench_soft.py"),
)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ((), ["matmul[dtype=bf16,n=1024]", "matmul[dtype=bf16,n=4096]", "softmax"]),
        (("soft",), ["softmax"]),
        (("n=1024",), ["matmul[dtype=bf16,n=1024]"]),
        (("matmul*4096]",), ["matmul[dtype=bf16,n=4096]"]),
        (("m*",), ["matmul[dtype=bf16,n=1024]", "matmul[dtype=bf16,n=4096]"]),
        (("bench_gemm.py",), ["matmul[dtype=bf16,n=1024]", "matmul[dtype=bf16,n=4096]"]),
        (("benchmarks/bench_gemm.py::matmul[dtype=bf16,n=1024]",), ["matmul[dtype=bf16,n=1024]"]),
        (("::softmax",), ["softmax"]),
        (("./benchmarks/soft/",), ["softmax"]),
        (("softmax", "n=4096"), ["matmul[dtype=bf16,n=4096]", "softmax"]),
    ],
)
def test_pattern(patterns, expected):
    assert [s.case.id for s in select(SUITE, patterns)] == expected


@pytest.mark.parametrize("pattern", ["softmaxx", "::soft", "oft*", "bench_x.py", "emm.py"])
def test_a_pattern_that_means_nothing_is_refused_by_name(pattern):
    with pytest.raises(UsageError, match="no case matches") as caught:
        select(SUITE, (pattern,))
    assert "softmax" in caught.value.hint
