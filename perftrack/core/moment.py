"""Points in time as people give them to an option."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from perftrack.errors import InvalidValueError

_AGO = re.compile(r"(\d{1,6})\s*(hour|day|week|month|year|h|d|w|mo|y)s?(\s+ago)?", re.IGNORECASE)
_DAYS = {
    "hour": 1 / 24,
    "h": 1 / 24,
    "day": 1,
    "d": 1,
    "week": 7,
    "w": 7,
    "month": 30,
    "mo": 30,
    "year": 365,
    "y": 365,
}


def moment(text: str, now: float) -> float:
    """Unix seconds of a date (2026-01-31, 2026-01-31T12:00+02:00; UTC without a zone) or an age (`2 weeks`).

    Raises InvalidValueError for anything else: Git itself reads what it does not know as "now".
    """
    if age := _AGO.fullmatch(text.strip()):
        span = timedelta(days=int(age[1]) * _DAYS[age[2].lower()])
        return now - span.total_seconds()
    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidValueError(
            f"{text!r} is no date", "Give one like 2026-01-31 or 2026-01-31T12:00, or an age like '2 weeks'."
        ) from error
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
