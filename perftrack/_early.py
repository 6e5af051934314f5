"""What Ctrl-C does while perftrack is still being imported, when there is nobody yet to catch it."""

import os
import signal

EXIT_INTERRUPTED = 128 + signal.SIGINT


def install() -> None:
    """End the process on SIGINT with one line, until `remove`. Where SIGINT is ignored, it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def remove() -> None:
    """Let SIGINT raise KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: object) -> None:
    os.write(2, b"Interrupted.\n")
    os._exit(EXIT_INTERRUPTED)
