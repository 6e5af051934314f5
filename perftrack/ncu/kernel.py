"""Source of a program that runs one kernel, for the permission probe: executed with `python -c`, never imported.

It needs no package: the kernel is PTX that the CUDA driver compiles. Where that fails it asks torch. It prints
what the kernel wrote, or why there was none on stderr, with exit status 3.
"""

PRINTS = 1234
NO_KERNEL = 3

PROGRAM = '''
import ctypes, sys

PTX = b"""
.version 6.0
.target sm_70
.address_size 64

.visible .entry perftrack_probe(.param .u64 result)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [result];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, 1234;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""

class Failed(Exception):
    pass

def with_driver():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Failed(f"no CUDA driver: {error}")
    def call(name, *arguments):
        status = getattr(driver, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            driver.cuGetErrorString(status, ctypes.byref(text))
            raise Failed(f"{name}: {(text.value or b'?').decode()} (CUDA error {status})")
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    function, memory, host = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint32()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(function), module, b"perftrack_probe")
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    one = ctypes.c_uint(1)
    call("cuLaunchKernel", function, one, one, one, one, one, one, ctypes.c_uint(0), None, arguments, None)
    call("cuCtxSynchronize")
    call("cuMemcpyDtoH_v2", ctypes.byref(host), memory, ctypes.c_size_t(4))
    return host.value

def with_torch():
    import torch
    return int(torch.full((1,), 1233, device="cuda").add_(1).item())

try:
    print(with_driver())
except Failed as error:
    try:
        print(with_torch())
    except Exception as other:
        print(f"{error}; torch: {type(other).__name__}: {other}", file=sys.stderr)
        sys.exit(3)
'''
