"""`python -m perftrack`, and what the `perftrack` command runs."""

import os
import sys

from perftrack import _early


def run() -> None:
    """The command line. Does not return."""
    _early.install()  # before the rest is imported, which takes most of a tenth of a second
    from perftrack.cli.main import main

    try:
        main()
    except SystemExit as ended:
        if ended.code != _early.EXIT_INTERRUPTED:
            raise
        # Python ends by SIGINT itself, whatever the exit code, if the interrupt hit while it ran generated code.
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(_early.EXIT_INTERRUPTED)


if __name__ == "__main__":
    run()
