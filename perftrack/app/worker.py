"""The worker process: reads requests from one pipe, measures, answers on another. Standard library only.

Started by suite.pool in the Python of the project under test. File descriptors 1 and 2 are the
benchmarks' own; the protocol has two of its own, so that nothing a benchmark prints can break it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from perftrack.app.casework import (
    checkup_of,
    environment_of,
    measure_benchmark,
    measure_command,
    measure_metric,
)
from perftrack.app.descriptors import STREAMS, Descriptors, ReplyLine
from perftrack.app.markedcall import call_marked
from perftrack.app.surroundings import Surroundings
from perftrack.core.command import CommandSpec
from perftrack.core.company import CardUse
from perftrack.core.limit import KnownLimit
from perftrack.core.model import Case, Params, Status
from perftrack.core.plan import Plan
from perftrack.errors import PerftrackError
from perftrack.suite.command import command_declared
from perftrack.suite.declaration import Skip
from perftrack.suite.discovery import Suite, find_files, load_suite
from perftrack.suite.messages import (
    CaseResult,
    Catalogue,
    Kind,
    Problem,
    Reply,
    RigAction,
    RigRequest,
    RunCase,
    encode,
)

if TYPE_CHECKING:
    from perftrack.app.rigwork import RigWork


def main(requests: BinaryIO, replies: BinaryIO, setup: dict[str, object]) -> int:
    """Answer requests until one says exit. `setup`: what suite.pool's Setup encodes."""
    getpid, leave, read = os.getpid, os._exit, json.loads  # bound now: a benchmark may patch them
    pid = getpid()
    worker = Worker(setup)
    line = ReplyLine(replies.fileno())
    pipes = Descriptors({requests.fileno(): "its requests' pipe", replies.fileno(): "its replies' pipe"})

    def send(reply: Reply) -> None:
        for stream in (sys.stdout, sys.stderr):
            # A benchmark may have closed or replaced them.
            with contextlib.suppress(AttributeError, ValueError, OSError):
                stream.flush()
        line.send(encode(reply))

    send(Reply(ready=pid))
    for text in requests:
        request = read(text)
        if request["discover"]:
            reply = worker.discover()
        elif request["run"] is not None:
            worker.load()  # what the files themselves set up holds for all cases: only a case's own changes go
            around, streams = Surroundings(), Descriptors(STREAMS)
            result = worker.run(_decode_run(request["run"]))
            around.restore()
            lost = (*streams.lost(), *pipes.lost())
            reply = Reply(result=_robbed(lost) if lost and result.status is not Status.FAILED else result)
        elif request["profile"] is not None:
            reply = Reply(result=worker.run(_decode_run(request["profile"]), profiled=True))
        elif request["environment"]:
            reply = environment_of(request["environment"], request["policy"])
        elif request["checkup"]:
            reply = checkup_of(request["checkup"], worker.uses)
        elif request["rig"] is not None:
            reply = worker.ask_rig(request["rig"])
        else:
            break
        if getpid() != pid:
            leave(0)  # a benchmark forked and its child came back here: it must not answer as us
        send(reply)
    return 0


def _robbed(lost: Sequence[str]) -> CaseResult:
    """Failed, whatever was measured: the next case in this worker would print into, or read from, another file."""
    return CaseResult(
        Status.FAILED,
        f"it closed or replaced descriptors that are not its own: {', '.join(dict.fromkeys(lost))}"
        " (Close only what the benchmark has opened, and put redirected streams back.)",
    )


def _decode_run(data: dict[str, object]) -> RunCase:
    plan = Plan(**data.pop("plan"))  # type: ignore[arg-type]
    params: Params = tuple((k, v) for k, v in data.pop("params"))  # type: ignore[attr-defined]
    limits = tuple(KnownLimit(**known) for known in data.pop("limits"))  # type: ignore[attr-defined]
    return RunCase(plan=plan, params=params, limits=limits, **data)  # type: ignore[arg-type]


class Worker:
    """The loaded suite of one process, and the measuring of its cases."""

    def __init__(self, setup: dict[str, object]) -> None:
        self._base = Path(str(setup["base"]))
        self._folder = Path(str(setup["folder"]))
        self._home = Path(str(setup["home"]))
        self._pattern = str(setup["pattern"])
        self._foreign = Path(str(setup["foreign"])) if setup["foreign"] else None
        commands = setup["commands"]
        assert isinstance(commands, list)
        self._commands = {c["name"]: CommandSpec(**c) for c in commands}
        uses = setup["uses"]
        assert isinstance(uses, list)
        self.uses = tuple(CardUse(**u) for u in uses)
        self._suite: Suite | None = None
        self._rig: RigWork | None = None

    def ask_rig(self, data: dict[str, Any]) -> Reply:
        """Answer one request to the rig, which is made by the first: no worker that measures cases needs it."""
        from perftrack.app.rigwork import RigWork

        if self._rig is None:
            self._rig = RigWork(self.uses)
        return self._rig.answer(RigRequest(**{**data, "action": RigAction(data["action"])}))

    def load(self) -> None:
        """Import the benchmark files, if they are not yet."""
        _ = self.suite

    @property
    def suite(self) -> Suite:
        if self._suite is None:
            self._suite = load_suite(find_files(self._folder, self._pattern), self._home)
        return self._suite

    def discover(self) -> Reply:
        """The catalogue, or a failure where another commit's code was imported in place of this one's."""
        catalogue = self.catalogue()
        stray = self._stray_module()
        return Reply(failure=stray) if stray else Reply(catalogue=catalogue)

    def catalogue(self) -> Catalogue:
        catalogue = self.suite.catalogue()
        commands = tuple(command_declared(c) for c in self._commands.values())
        problems = list(catalogue.problems)
        for declared in catalogue.declared:
            if declared.name in self._commands or any(
                Case(declared.name, params).id in self._commands for params in declared.cases
            ):
                message = f"{declared.name}: a command of this name is configured as well"
                problems.append(Problem(declared.source, message, "Rename one of them."))
        functions = tuple(d for d in catalogue.declared if d.source not in {p.where for p in problems})
        return Catalogue(functions + commands, tuple(problems))

    def _stray_module(self) -> Problem | None:
        """A module that came from the user's checkout while another commit is being measured."""
        if self._foreign is None:
            return None
        allowed = [self._folder.resolve(), Path(sys.prefix).resolve()]
        for name, module in sorted(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if not file or name.split(".")[0] == "perftrack":
                continue
            path = Path(file).resolve()
            if path.is_relative_to(self._foreign.resolve()) and not any(path.is_relative_to(a) for a in allowed):
                return Problem(
                    str(path),
                    f"module {name} was imported from your checkout, not from the commit being measured",
                    "Set `pythonpath` in [tool.perftrack] to where the project's packages are, or build it.",
                )
        return None

    def run(self, request: RunCase, *, profiled: bool = False) -> CaseResult:
        """Measure one case, or call it for a profiler; what goes wrong becomes a failed result with the reason."""
        try:
            result = self._profile(request) if profiled else self._measure(request)
        except Skip as error:
            return CaseResult(Status.SKIPPED, str(error) or "skipped")
        except MemoryError:
            return CaseResult(Status.FAILED, "out of memory")
        except PerftrackError as error:
            return CaseResult(Status.FAILED, error.message + (f" ({error.hint})" if error.hint else ""))
        except BaseException as error:  # noqa: BLE001 - SystemExit of a benchmark fails its case only
            traceback.print_exc()
            return CaseResult(Status.FAILED, f"{type(error).__name__}: {error}"[:500])
        finally:
            gc.collect()
        stray = self._stray_module()
        return CaseResult(Status.FAILED, f"{stray.message}: {stray.where}") if stray else result

    def _measure(self, request: RunCase) -> CaseResult:
        if request.benchmark in self._commands:
            return measure_command(self._commands[request.benchmark], self._base, request)
        declaration = self.suite.declarations.get(request.benchmark)
        if declaration is None:
            return CaseResult(Status.FAILED, f"{request.benchmark} is not declared in this process")
        if declaration.kind is Kind.METRIC:
            return measure_metric(declaration, request)
        return measure_benchmark(declaration, request, self.suite.sources[declaration.name], self.uses)

    def _profile(self, request: RunCase) -> CaseResult:
        declaration = self.suite.declarations.get(request.benchmark)
        if declaration is None or declaration.kind is not Kind.BENCHMARK:
            return CaseResult(Status.FAILED, f"{request.benchmark} is no benchmark of this process")
        return call_marked(declaration, request, self.suite.sources[declaration.name])
