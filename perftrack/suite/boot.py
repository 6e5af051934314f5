"""Source of the worker's first lines, run with `python -c`; executed there, never imported.

It makes the coordinator's own perftrack importable in whatever environment the worker's Python has,
without adding a directory to sys.path: the project under test keeps its own packages, and needs none of
perftrack's dependencies.

Requests and replies are pipes that the coordinator passes on by number, or files by name (see suite.errand): a
program that starts the worker in the coordinator's place need not pass on descriptors. The thread of it that did
may end before the worker does, so that such a worker does not die with its parent.
"""

# Bytecode in the project's tree would be a change that is in no commit, where its .gitignore does not name it.
OPTIONS = ("-B", "-c")
BOOT = """
import faulthandler, importlib.util, json, os, sys

def provide(name, path, package):
    where = [os.path.dirname(path)] if package else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=where)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)

def channel(name, mode):
    return os.fdopen(int(name), mode) if name.isdigit() else open(name, mode)

if sys.platform == "linux":
    import ctypes
    # Orphans of what a benchmark starts stay this process's, which are ended with it (PR_SET_CHILD_SUBREAPER).
    ctypes.CDLL(None).prctl(36, 1)
    if sys.argv[1].isdigit():
        # A coordinator that is killed cannot stop its worker: have the kernel do it (PR_SET_PDEATHSIG, SIGKILL).
        ctypes.CDLL(None).prctl(1, 9)
requests, replies = channel(sys.argv[1], "rb"), channel(sys.argv[2], "wb")
for stream in (requests, replies):
    os.set_inheritable(stream.fileno(), False)
setup = json.loads(requests.readline())
sys.argv[:] = ["perftrack-worker"]
faulthandler.enable()
sys.path[:] = [setup["folder"], *setup["pythonpath"], *(p for p in sys.path if p)]
provide("perftrack", setup["package"], True)
if setup["pynvml"] and importlib.util.find_spec("pynvml") is None:
    provide("pynvml", setup["pynvml"], False)
from perftrack.app.worker import main
sys.exit(main(requests, replies, setup))
"""
