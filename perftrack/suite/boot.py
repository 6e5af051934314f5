"""Source of the worker's first lines, run with `python -c`; executed there, never imported.

It makes the coordinator's own perftrack importable in whatever environment the worker's Python has,
without adding a directory to sys.path: the project under test keeps its own packages, and needs none of
perftrack's dependencies.
"""

BOOT = """
import faulthandler, importlib.util, json, os, sys

def provide(name, path, package):
    where = [os.path.dirname(path)] if package else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=where)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)

if sys.platform == "linux":
    # A coordinator that is killed cannot stop its worker: have the kernel do it (PR_SET_PDEATHSIG, SIGKILL).
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
requests = os.fdopen(int(sys.argv[1]), "rb")
replies = os.fdopen(int(sys.argv[2]), "wb")
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
