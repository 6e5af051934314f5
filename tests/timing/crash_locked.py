"""A process that locks a fake card's clock and is then killed, or told to end, in the middle of its work.

Arguments: the fake card's file, the state directory, and how it ends: "wait", "handler" or "exit".
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from types import FrameType

from perftrack.timing.clocks import LockedClockPolicy
from tests.timing.fake_nvml import FakeNvml


def main() -> None:
    file, state, ending = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    if ending == "handler":

        def own(number: int, frame: FrameType | None) -> None:
            print(f"own handler {number}", flush=True)
            sys.exit(7)

        signal.signal(signal.SIGTERM, own)
    policy = LockedClockPolicy(1500, 500, nvml=FakeNvml(file=file), state=state, sleep=lambda s: None)
    policy.apply()
    print("locked", flush=True)
    if ending == "exit":
        return
    time.sleep(60)


if __name__ == "__main__":
    main()
