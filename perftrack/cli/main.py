"""The root command, and the one place where errors become text."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from perftrack import _early
from perftrack._version import __version__
from perftrack.errors import PerftrackError

# Imported when run, so that --help of one command does not pay for the others.
COMMANDS = {
    "record": "perftrack.cli.record",
    "list": "perftrack.cli.listing",
    "show": "perftrack.cli.show",
    "log": "perftrack.cli.log",
    "compare": "perftrack.cli.compare",
    "accept": "perftrack.cli.accept",
    "detect": "perftrack.cli.detect",
    "bisect": "perftrack.cli.bisect",
    "check": "perftrack.cli.check",
    "ceiling": "perftrack.cli.ceiling",
    "ncu": "perftrack.cli.ncu",
    "env": "perftrack.cli.env",
    "doctor": "perftrack.cli.doctor",
    "site": "perftrack.cli.site",
    "config": "perftrack.cli.config",
}

EXIT_ERROR = 1
EXIT_SIGNALLED = 128  # plus the signal's number, as shells have it
# `git bisect run` takes 1 to 127 for an answer of the command: what is none must not look like one.
GIT_BISECT, EXIT_ABORT_BISECT = "--git-bisect", 128


class Terminated(BaseException):
    """SIGTERM or SIGHUP arrived. A BaseException, so that it unwinds like Ctrl-C: worktrees and workers go."""


class _Termination:
    """Handles both and keeps which it was: of a query that is stopped an interrupt is all that comes out."""

    number: int | None = None

    def __call__(self, number: int, _frame: object) -> None:
        self.number = number
        raise Terminated


class LazyGroup(click.Group):
    """A group whose commands are modules with a `command`, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run, and turn whatever comes out into an exit code; nothing else in perftrack exits."""
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by whoever started us: the exit code is all they want
                setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to stop
        termination = _Termination()
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # ignored under nohup: it stays so
                signal.signal(number, termination)
        answered = False
        try:
            _early.remove()
            extra["standalone_mode"] = False
            code = super().main(args, *rest, **extra)
            sys.stdout.flush()
            answered = True
        except click.exceptions.Exit as exit_:
            code = exit_.exit_code
        except click.UsageError as error:
            error.show()
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt, Terminated):
            code = _stopped(termination.number)
        except PerftrackError as error:
            _say(f"Error: {error.message}", error.hint)
            code = error.exit_code
        except BrokenPipeError:
            # The reader of our stdout left. Not 0: a gate's answer must not turn into a pass.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = EXIT_ERROR
        except OSError as error:
            where = f": {error.filename}" if error.filename else ""
            _say(f"Error: {error.strerror or error}{where}", None)
            code = EXIT_ERROR
        except Exception as error:  # noqa: BLE001 - the boundary: a traceback must not reach a user unasked
            # An interrupt that hits while a class is being made comes out as an error of that.
            code = _stopped(termination.number) if _from_interrupt(error) else _unexpected(error)
        code = code if isinstance(code, int) else 0
        if not answered and GIT_BISECT in (sys.argv[1:] if args is None else args):
            code = max(code, EXIT_ABORT_BISECT)
        sys.exit(code)


def _stopped(terminated_by: int | None) -> int:
    if terminated_by is None:
        _say("Interrupted.", None)
        return _early.EXIT_INTERRUPTED
    _say(f"Ended by {signal.Signals(terminated_by).name}.", None)
    return EXIT_SIGNALLED + terminated_by


def _from_interrupt(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _say(message: str, hint: str | None) -> None:
    from perftrack.core.text import printable

    click.echo(printable(message), err=True)
    if hint:
        click.echo(f"Hint: {printable(hint)}", err=True)


def _unexpected(error: Exception) -> int:
    if os.environ.get("PERFTRACK_DEBUG"):
        traceback.print_exception(error)
    _say(
        f"Error: unexpected {type(error).__name__}: {error}",
        "This is a bug in perftrack. Run again with PERFTRACK_DEBUG=1 and report the traceback.",
    )
    return EXIT_ERROR


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 done, 1 error, 2 usage, 3 regression, 4 could not decide, 130 interrupted.",
)
@click.version_option(__version__, "-V", "--version", prog_name="perftrack")
def main() -> None:
    """Track the performance of a Git project's benchmarks.

    \b
    Examples:
      perftrack list              what can be measured
      perftrack record            measure HEAD and store the result
      perftrack compare HEAD~1    did it get slower?
      perftrack site build        trend charts to browse
    """
