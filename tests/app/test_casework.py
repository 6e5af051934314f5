"""One case measured in this process: the number that a metric returns."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from perftrack.app.casework import measure_metric
from perftrack.core.model import Timer
from perftrack.core.plan import Plan
from perftrack.errors import MeasurementError
from perftrack.suite.declaration import drain, metric
from perftrack.suite.messages import RunCase


def measured(value, **options):
    drain()
    metric(unit="B", name="size", **options)(lambda: value)
    (declaration,) = drain()
    return measure_metric(declaration, RunCase("size", (), Plan(), 0, 0))


@pytest.mark.parametrize(
    "value",
    [2, 2.0, Decimal(2), Fraction(4, 2), np.int64(2), np.float16(2), np.float32(2), np.float64(2)],
)
def test_every_real_number_is_a_value(value):
    (found,) = measured(value).metrics
    assert found.process.windows[0].samples == (2.0,)
    assert type(found.process.windows[0].samples[0]) is float


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (True, r"True \(bool\)"),
        (np.bool_(True), "bool"),
        (1j, r"1j \(complex\)"),
        (None, r"None \(NoneType\)"),
        (float("nan"), r"nan \(float\)"),
        (np.float32("inf"), "inf.* \\(float32\\)"),
        (Decimal("sNaN"), "Decimal"),
        (10**400, "int"),
        ("5", r"'5' \(str\)"),
        (np.ones(2), "ndarray"),
    ],
)
def test_anything_else_is_refused_with_its_value_and_type(value, says):
    with pytest.raises(MeasurementError, match=says):
        measured(value)


def test_an_exact_metric_is_in_a_protocol_of_its_own():
    timers = [measured(2, exact=exact).metrics[0].protocol.timer for exact in (False, True)]
    assert timers == [Timer.VALUE, Timer.EXACT]
