"""An `ncu` for tests: answers as Nsight Compute's does, runs the program, and leaves recorded output behind.

What it leaves is what environment variables name: FAKE_NCU_REPORT is copied to where --export says, FAKE_NCU_CSV
to --log-file where there is no --export; FAKE_NCU_SAYS goes into the log, and then nothing is profiled. A report
may be any file that perftrack reads. FAKE_NCU_LOG gets each command line, one JSON list a line. With
FAKE_NCU_SKIPS the program is not run.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

VERSION = "2025.3.1.0"
BANNER = f"""NVIDIA (R) Nsight Compute Command Line Profiler
Copyright (c) 2018-2025 NVIDIA Corporation
Version {VERSION} (build 36398880) (public-release)
"""

PROGRAM = f"""#!{sys.executable}
import json, os, shutil, subprocess, sys

arguments = sys.argv[1:]
if "--version" in arguments:
    print({BANNER!r}, end="")
    sys.exit(0)
if log := os.environ.get("FAKE_NCU_LOG"):
    with open(log, "a") as file:
        file.write(json.dumps(arguments) + "\\n")
flags = {{"--csv", "--nvtx", "--force-overwrite"}}
options, i = {{}}, 0
while i < len(arguments) and arguments[i].startswith("--"):
    if arguments[i] in flags:
        options[arguments[i]] = True
        i += 1
    else:
        options[arguments[i]] = arguments[i + 1]
        i += 2
target = arguments[i:]
status = 0 if os.environ.get("FAKE_NCU_SKIPS") else subprocess.run(target).returncode
says = os.environ.get("FAKE_NCU_SAYS")
with open(options["--log-file"], "w") as file:
    file.write("==PROF== Connected to process 1 (" + target[0] + ")\\n")
    if says:
        file.write(says + "\\n")
    elif "--export" not in options:
        file.write(open(os.environ["FAKE_NCU_CSV"]).read())
    file.write("==PROF== Disconnected from process 1\\n")
if not says and "--export" in options:
    shutil.copyfile(os.environ["FAKE_NCU_REPORT"], options["--export"])
sys.exit(status)
"""

NO_PERMISSION = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on "
    "the target device 0. For instructions on enabling permissions and to get more information see "
    "https://developer.nvidia.com/ERR_NVGPUCTRPERM"
)
NO_KERNELS = "==WARNING== No kernels were profiled.\nAvailable Kernels:\n1. fma_chain\n2. stream_copy"

_HEADER = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size"]
_HEADER += ["Grid Size", "Device", "CC"]


def install(folder: Path) -> dict[str, str]:
    """Environment with a folder first on PATH whose `ncu` is this one."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "ncu"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}


def raw_page(*launches: dict[str, object], kernel: str = "scale_kernel(float *, int)") -> str:
    """A raw CSV page in base units: one row a launch, its metrics by name as (value, unit)."""
    names = list(dict.fromkeys(name for launch in launches for name in launch))
    units = {name: value[1] for launch in launches for name, value in launch.items()}  # type: ignore[index]
    rows = [[*_HEADER, *names], [""] * len(_HEADER) + [units[n] for n in names]]
    for number, launch in enumerate(launches):
        at = [str(number), "7", "python", "127.0.0.1", kernel, "1", "7", "(256, 1, 1)", "(1024, 1, 1)", "0", "9.0"]
        rows.append(at + [f"{launch[n][0]}" if n in launch else "" for n in names])  # type: ignore[index]
    return "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)


def command_lines(log: Path) -> list[list[str]]:
    """What this ncu was called with so far."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
