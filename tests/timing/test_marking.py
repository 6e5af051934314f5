"""Marks around profiled work, on a CUDA driver of which only the calls are real."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from perftrack.errors import DeviceError
from perftrack.timing import marking

DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
static long context;
static int say(const char *name) {
    FILE *log = fopen(getenv("FAKE_CUDA_LOG"), "a");
    fprintf(log, "%s\n", name);
    fclose(log);
    const char *fails = getenv("FAKE_CUDA_FAILS");
    if (!fails) return 0;
    const char *a = fails, *b = name;
    while (*a && *a == *b) { a++; b++; }
    return (*a == 0 && *b == 0) ? 201 : 0;
}
int cuInit(unsigned flags) { return say("cuInit"); }
int cuCtxGetCurrent(void **out) {
    *out = (void *)(getenv("FAKE_CUDA_CONTEXT") ? 1L : context);
    return say("cuCtxGetCurrent");
}
int cuDeviceGet(int *out, int index) { *out = index; return say("cuDeviceGet"); }
int cuDevicePrimaryCtxRetain(void **out, int device) {
    *out = (void *)(100L + device);
    return say("cuDevicePrimaryCtxRetain");
}
int cuCtxSetCurrent(void *given) { context = (long)given; return say("cuCtxSetCurrent"); }
int cuProfilerStart(void) { return say(context == 103L ? "cuProfilerStart on 3" : "cuProfilerStart"); }
int cuProfilerStop(void) { return say("cuProfilerStop"); }
"""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.c").write_text(DRIVER)
    made = folder / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", made, folder / "driver.c"], check=True)
    return made


@pytest.fixture
def log(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(marking, "_DRIVER", str(library))
    path = tmp_path / "log"
    monkeypatch.setenv("FAKE_CUDA_LOG", str(path))
    return path


def test_the_block_is_between_the_marks(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CUDA_CONTEXT", "1")
    with marking.marked():
        log.write_text(log.read_text() + "work\n")
    assert log.read_text().split("\n")[:-1] == [
        "cuInit",
        "cuCtxGetCurrent",
        "cuProfilerStart",
        "work",
        "cuProfilerStop",
    ]


def test_work_that_fails_is_still_marked_off(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CUDA_CONTEXT", "1")
    with pytest.raises(ZeroDivisionError), marking.marked():
        raise ZeroDivisionError
    assert log.read_text().endswith("cuProfilerStop\n")


def test_a_thread_without_a_context_gets_that_of_the_device(log: Path) -> None:
    with marking.marked(3):
        pass
    assert "cuProfilerStart on 3" in log.read_text()


def test_a_driver_that_refuses_is_named_with_its_error(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CUDA_FAILS", "cuInit")
    with pytest.raises(DeviceError, match="cuInit failed: CUDA error 201"), marking.marked():
        pytest.fail("not reached")


def test_without_a_driver_nothing_can_be_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marking, "_DRIVER", "libnone-of-this-name.so.1")
    with pytest.raises(DeviceError, match="no CUDA driver"), marking.marked():
        pytest.fail("not reached")
