"""Like with like: what stands between two measurements and a comparison of them."""

from __future__ import annotations

from perftrack.core.fingerprint import differences
from perftrack.core.model import Measurement, Reason
from perftrack.core.reasons import reason


def obstacles(baseline: Measurement, candidate: Measurement) -> tuple[Reason, ...]:
    """Why two measurements may not be compared, one reason per obstacle; empty where they may."""
    problems: list[Reason] = []
    if baseline.fingerprint is None or candidate.fingerprint is None:
        problems.append(reason("fingerprint-mismatch", fields="a side has no fingerprint"))
    elif not baseline.fingerprint.matches(candidate.fingerprint):
        fields = [str(d) for d in differences(baseline.fingerprint, candidate.fingerprint) if d.refuses]
        problems.append(reason("fingerprint-mismatch", fields="; ".join(fields)))
    if baseline.protocol != candidate.protocol:
        problems.append(
            reason("protocol-mismatch", baseline=baseline.protocol.key, candidate=candidate.protocol.key)
        )
    if baseline.unit != candidate.unit:
        units = [m.unit or "no unit" for m in (baseline, candidate)]
        problems.append(reason("unit-mismatch", baseline=units[0], candidate=units[1]))
    if baseline.direction is not candidate.direction:
        ways = [m.direction.value for m in (baseline, candidate)]
        problems.append(reason("direction-mismatch", baseline=ways[0], candidate=ways[1]))
    if baseline.code_hash and candidate.code_hash and baseline.code_hash != candidate.code_hash:
        problems.append(reason("benchmark-changed"))
    return tuple(problems)
