from __future__ import annotations

import struct
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from perftrack.ncu.cubin import code_hash
from tests.ncu.reports import RECORDED

COPY, CHAIN = "_Z11stream_copyPK6float4PS_i", "_Z9fma_chainIfLi512EEvPT_S0_S0_"
_DATA = RECORDED.read_bytes()
CUBIN = _DATA[_DATA.index(b"\x7fELF") :][:17320]
_SYMTAB, _STRTAB, _PROGBITS, _RELA, _NOBITS = 2, 3, 1, 4, 8


def module(
    functions: Mapping[str, bytes],
    registers: Mapping[str, int] | None = None,
    calls: Mapping[str, str] | None = None,
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """A cubin of these functions: instructions, registers a thread, what each calls, further sections."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in functions)
    symbols = b"\0" * 24
    for name in functions:
        symbols += struct.pack("<IBBHQQ", strings.index(name.encode() + b"\0"), 0x12, 0, 1, 0, 0)
    order = {name: i + 1 for i, name in enumerate(functions)}
    sections: list[tuple[str, int, bytes, int]] = [
        ("", 0, b"", 0),
        (".strtab", _STRTAB, strings, 0),
        (".symtab", _SYMTAB, symbols, 1),
        (".nv.info", _PROGBITS, b"".join(_attribute(order[n], r) for n, r in (registers or {}).items()), 2),
    ]
    sections += [(f".text.{name}", _PROGBITS, code, 2) for name, code in functions.items()]
    for name, called in (calls or {}).items():
        sections.append((f".rela.text.{name}", _RELA, struct.pack("<QQq", 0, order[called] << 32 | 7, 0), 2))
    sections += [(name, _PROGBITS, content, 0) for name, content in (more or {}).items()]
    names = b"\0".join(s[0].encode() for s in sections) + b"\0.shstrtab\0"
    sections.append((".shstrtab", _STRTAB, names, 0))
    body, rows = b"", []
    for name, kind, content, link in sections:
        at = names.index(name.encode() + b"\0") if name else 0
        rows.append(struct.pack("<IIQQQQIIQQ", at, kind, 0, 0, 64 + len(body), len(content), link, 0, 1, 0))
        body += content
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    counts = (64, 0, 0, 64, len(rows), len(rows) - 1)
    return (
        head + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, *counts) + body + b"".join(rows)
    )


def _attribute(symbol: int, registers: int) -> bytes:
    return struct.pack("<BBHII", 4, 0x2F, 8, symbol, registers)


def test_functions_of_a_recorded_module_have_codes_of_their_own() -> None:
    assert len({code_hash(CUBIN, COPY), code_hash(CUBIN, CHAIN)}) == 2
    assert len(code_hash(CUBIN, COPY)) == 20


def test_a_function_that_the_module_lacks_has_no_code() -> None:
    assert code_hash(CUBIN, "_Z7unknownv") == ""


def test_other_instructions_are_other_code() -> None:
    assert code_hash(module({"f": b"aaaa"}), "f") != code_hash(module({"f": b"aaab"}), "f")


def test_the_neighbours_of_a_function_do_not_matter() -> None:
    alone = module({"f": b"aaaa"}, {"f": 32})
    assert code_hash(alone, "f") == code_hash(module({"e": b"bb", "f": b"aaaa"}, {"e": 8, "f": 32}), "f")


def test_more_registers_are_other_code() -> None:
    assert code_hash(module({"f": b"aaaa"}, {"f": 32}), "f") != code_hash(module({"f": b"aaaa"}, {"f": 33}), "f")


def test_a_function_that_is_called_belongs_to_the_code() -> None:
    one, other = (module({"f": b"aaaa", "g": code}, calls={"f": "g"}) for code in (b"xx", b"yy"))
    assert code_hash(one, "f") != code_hash(other, "f")
    assert code_hash(one, "g") != code_hash(other, "g")


def test_constants_and_shared_memory_belong_to_the_code_and_arguments_do_not() -> None:
    def with_(name: str, content: bytes) -> str:
        return code_hash(module({"f": b"aaaa"}, more={name: content}), "f")

    for name in (".nv.constant2.f", ".nv.constant3", ".nv.global.init", ".nv.shared.f"):
        assert with_(name, b"one") != with_(name, b"two"), name
    for name in (".nv.constant0.f", ".nv.constant2.other", ".nv.shared.other", ".debug_line"):
        assert with_(name, b"one") == with_(name, b"two"), name


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(CUBIN)), st.integers(0, len(CUBIN) - 1), st.integers(0, 255))
def test_a_damaged_module_raises_nothing(end: int, at: int, byte: int) -> None:
    code_hash(CUBIN[:end], COPY)
    code_hash(CUBIN[:at] + bytes([byte]) + CUBIN[at + 1 :], CHAIN)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_module_have_no_code(data: bytes) -> None:
    assert code_hash(data, "f") == ""
    assert code_hash(b"\x7fELF\x02\x01\x01" + data, "f") == ""
