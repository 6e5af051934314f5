"""How each data type is multiplied in torch, and why a device cannot multiply some. Standard library only.

The block-scaled formats have one scale per block of elements along K: 32 with power-of-two scales in the OCP
microscaling formats (mxfp8, mxfp4: Open Compute Project, "OCP Microscaling Formats (MX) Specification v1.0"), 16
with float8 scales in nvfp4. Four-bit elements lie two in a byte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perftrack.core.ceiling import DataType

GFX_FNUZ = ("gfx940", "gfx941", "gfx942")
GFX_BLOCKS = ("gfx950",)
TF32_CAPABILITY, FP8_CAPABILITY, BLOCK_CAPABILITY = (8, 0), (8, 9), (10, 0)
K_STEP = 32


@dataclass(frozen=True, slots=True)
class Format:
    """`data`, `result`, `scale`: names of torch's types for the operands, C and the scales.

    block: elements a scale serves along K; 0 for one scale per operand, None for unscaled products. packed:
    elements in one stored item. recipe: the product needs torch's call that names its scaling recipe.
    """

    data: str
    result: str
    block: int | None = None
    scale: str = ""
    packed: int = 1
    recipe: bool = False


FORMATS = {
    DataType.BFLOAT16: Format("bfloat16", "bfloat16"),
    DataType.FLOAT16: Format("float16", "float16"),
    DataType.FLOAT32: Format("float32", "float32"),
    DataType.TF32: Format("float32", "float32"),
    DataType.FLOAT8_E4M3FN: Format("float8_e4m3fn", "float8_e4m3fn", 0, "float32"),
    DataType.FLOAT8_E4M3FNUZ: Format("float8_e4m3fnuz", "float8_e4m3fnuz", 0, "float32"),
    DataType.MXFP8: Format("float8_e4m3fn", "bfloat16", 32, "float8_e8m0fnu"),
    DataType.MXFP4: Format("float4_e2m1fn_x2", "bfloat16", 32, "float8_e8m0fnu", packed=2, recipe=True),
    DataType.NVFP4: Format("float4_e2m1fn_x2", "bfloat16", 16, "float8_e4m3fn", packed=2),
}


def refusal(
    torch: Any, kind: str, index: int, dtype: DataType, environ: Mapping[str, str] = os.environ
) -> str | None:
    """Why this torch or device is known not to multiply `dtype`; None where nothing is known against it."""
    form = FORMATS[dtype]
    missing = [n for n in (form.data, form.result, form.scale) if n and not hasattr(torch, n)]
    if missing:
        return f"torch {torch.__version__} has no {missing[0]}"
    if form.block is not None and not hasattr(torch, "_scaled_mm"):
        return f"torch {torch.__version__} has no scaled products"
    if form.recipe and not hasattr(torch, "_scaled_mm_v2"):
        return f"torch {torch.__version__} cannot name the scaling recipe that {dtype} needs"
    if kind == "cuda":
        return _nvidia(torch, index, dtype, environ)
    if kind == "rocm":
        return _amd(torch, index, dtype)
    if dtype is DataType.FLOAT8_E4M3FNUZ:
        return "float8_e4m3fnuz is AMD's; use float8_e4m3fn"
    if dtype is DataType.TF32 and kind in ("hpu", "mps"):
        return f"{kind} devices have no TF32"
    return None


def _nvidia(torch: Any, index: int, dtype: DataType, environ: Mapping[str, str]) -> str | None:
    if dtype is DataType.FLOAT8_E4M3FNUZ:
        return "float8_e4m3fnuz is AMD's; use float8_e4m3fn"
    override = environ.get("NVIDIA_TF32_OVERRIDE")
    if dtype is DataType.TF32 and override == "0":
        return "NVIDIA_TF32_OVERRIDE=0 forbids TF32"
    if dtype is DataType.FLOAT32 and override == "1":
        return "NVIDIA_TF32_OVERRIDE=1 turns float32 products into TF32 ones; use tf32, or unset it"
    has = tuple(torch.cuda.get_device_capability(index))
    needs = (0, 0)
    if dtype is DataType.TF32:
        needs = TF32_CAPABILITY
    elif dtype is DataType.FLOAT8_E4M3FN:
        needs = FP8_CAPABILITY
    elif dtype.block_scaled:
        needs = BLOCK_CAPABILITY
    if has < needs:
        return f"it has compute capability {has[0]}.{has[1]}, and {dtype} needs {needs[0]}.{needs[1]}"
    return None


def _amd(torch: Any, index: int, dtype: DataType) -> str | None:
    target = str(torch.cuda.get_device_properties(index).gcnArchName).partition(":")[0]
    if dtype is DataType.NVFP4:
        return "nvfp4 is NVIDIA's; use mxfp4"
    if dtype.block_scaled and target not in GFX_BLOCKS:
        return f"it is {target}, and {dtype} needs {GFX_BLOCKS[0]}"
    if dtype is DataType.FLOAT8_E4M3FN and target in GFX_FNUZ:
        return f"{target} multiplies float8_e4m3fnuz, not float8_e4m3fn"
    if dtype is DataType.FLOAT8_E4M3FNUZ and target not in GFX_FNUZ:
        return f"it is {target}, and float8_e4m3fnuz needs {GFX_FNUZ[-1]}"
    return None


def choose_precision(torch: Any, dtype: DataType) -> None:
    """Have float32 products use tensor cores (tf32) or not (float32); other types leave the switch alone."""
    if dtype in (DataType.TF32, DataType.FLOAT32):
        torch.set_float32_matmul_precision("high" if dtype is DataType.TF32 else "highest")
