"""The limits of a real card, and a benchmark that claims more."""

from __future__ import annotations

import pytest

from perftrack.errors import MeasurementError
from perftrack.timing.limits import check_limits, limits_of

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]


def test_rates_are_those_of_a_gpu_and_a_hundredfold_claim_is_refused():
    limits = limits_of("cuda", 0, (), "", dtype=None)
    assert limits is not None and limits.flops is not None and limits.bandwidth is not None
    copied, flops = limits.bandwidth.rate, limits.flops.rate
    print(f"copy {copied / 1e12:.2f} TB/s, bf16 {flops / 1e12:.0f} Tflop/s")
    assert 1e11 < copied < 2e13
    assert flops > 1e12
    seconds = 2 * 2**30 / copied
    check_limits(seconds, None, 2 * 2**30, limits, cold=True)
    with pytest.raises(MeasurementError):
        check_limits(seconds / 100, None, 2 * 2**30, limits, cold=True)
