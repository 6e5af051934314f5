"""Which machine code a kernel ran: a hash over what of its cubin that kernel executes and reads.

A cubin is a 64-bit ELF file with one section of instructions a function. The whole file cannot stand for one
kernel: a change of its neighbours, or of line numbers, would look like a change of its code.
"""

from __future__ import annotations

import hashlib
import struct
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NOBITS, _SYMTAB, _REL, _RELA, _FUNCTION = 8, 2, 9, 4, 2
_SIZED_ATTRIBUTE = 4  # format byte of a .nv.info entry that says its size
_LENGTH = 20  # hex digits, as the ids of runs have


class _Section(NamedTuple):
    name: str
    kind: int
    offset: int
    size: int
    link: int
    info: int


def code_hash(cubin: bytes, function: str) -> str:
    """20 hex digits of SHA-256 over what `function` (mangled name) consists of; empty where that cannot be told.

    Hashed: its instructions, what the module declares of it (registers, frame and stack sizes), its static shared
    memory and constants, and the constants and initialised globals of the module. A kernel that calls another
    function of the module stands for all of the module's instructions.

    Equal hashes mean equal code; different ones may be the same code in another module.
    """
    try:
        return _hash(cubin, _sections(cubin), function)
    except (struct.error, ValueError, IndexError, OverflowError):  # an offset past what an index can be
        return ""


def _sections(cubin: bytes) -> tuple[_Section, ...]:
    header = _HEADER.unpack_from(cubin)
    ident, table, entry, count, names = header[0], header[6], header[11], header[12], header[13]
    if ident[:6] != b"\x7fELF\x02\x01" or entry != _SECTION.size:
        raise ValueError("not a 64-bit little-endian ELF file")
    rows = [_SECTION.unpack_from(cubin, table + i * entry) for i in range(count)]
    strings = rows[names][4]
    return tuple(_Section(_name(cubin, strings + r[0]), r[1], r[4], r[5], r[6], r[7]) for r in rows)


def _name(cubin: bytes, at: int) -> str:
    return cubin[at : cubin.index(b"\0", at)].decode()


def _hash(cubin: bytes, sections: tuple[_Section, ...], function: str) -> str:
    own = next((s for s in sections if s.name == f".text.{function}" and s.size), None)
    if own is None:
        return ""
    whole = _calls_others(cubin, sections, function)
    digest = hashlib.sha256()
    for section in sorted(sections, key=lambda s: s.name):
        if not _counts(section.name, function, whole=whole):
            continue
        content = b"" if section.kind == _NOBITS else cubin[section.offset : section.offset + section.size]
        if section.kind != _NOBITS and len(content) != section.size:
            return ""
        digest.update(f"{section.name}\0{section.size}\0".encode())
        digest.update(content)
    for attribute in _declared(cubin, sections, function):
        digest.update(attribute)
    return digest.hexdigest()[:_LENGTH]


def _counts(name: str, function: str, *, whole: bool) -> bool:
    """Whether the section is something that `function` executes or reads."""
    if name == f".text.{function}" or (whole and name.startswith(".text.")):
        return True
    if name.startswith(".nv.constant0."):
        return False  # the place of the launch's arguments: zeros here
    if name.startswith((".nv.shared.", ".nv.local.")) or (name.startswith(".nv.constant") and name.count(".") > 2):
        return name.split(".", 3)[3] == function or whole
    return name == ".nv.global.init" or name.startswith(".nv.constant")


def _declared(cubin: bytes, sections: tuple[_Section, ...], function: str) -> tuple[bytes, ...]:
    """Entries of `.nv.info` about the function, without its symbol number: that shifts with its neighbours.

    An entry is a format and an attribute byte, then two bytes of size or value; a sized one about a function
    begins with the number of its symbol (as `cuobjdump -elf` shows them).
    """
    info = next((s for s in sections if s.name == ".nv.info"), None)
    if info is None:
        return ()
    symbol = _symbol_number(cubin, sections, sections[info.link], function)
    found = []
    at, end = info.offset, info.offset + info.size
    while at < end:
        kind, attribute, size = struct.unpack_from("<BBH", cubin, at)
        at += 4
        if kind != _SIZED_ATTRIBUTE:
            continue
        if size >= 8 and struct.unpack_from("<I", cubin, at)[0] == symbol:
            found.append(bytes([attribute]) + cubin[at + 4 : at + size])
        at += size
    return tuple(sorted(found))


def _symbol_number(cubin: bytes, sections: tuple[_Section, ...], symbols: _Section, function: str) -> int:
    names = sections[symbols.link]
    for number in range(symbols.size // _SYMBOL.size):
        name, kind, *_ = _SYMBOL.unpack_from(cubin, symbols.offset + number * _SYMBOL.size)
        if kind & 0xF == _FUNCTION and _name(cubin, names.offset + name) == function:
            return number
    raise ValueError("a function without a symbol")


def _calls_others(cubin: bytes, sections: tuple[_Section, ...], function: str) -> bool:
    """Whether its instructions refer to another function, whose code then is part of what it runs."""
    for section in sections:
        if section.name not in {f".rel.text.{function}", f".rela.text.{function}"}:
            continue
        symbols = sections[section.link]
        names = sections[symbols.link]
        size = {_REL: 16, _RELA: 24}.get(section.kind, 0)
        if not size or symbols.kind != _SYMTAB:
            raise ValueError("relocations without symbols")
        for at in range(section.offset, section.offset + section.size, size):
            (info,) = struct.unpack_from("<Q", cubin, at + 8)
            name, kind, *_ = _SYMBOL.unpack_from(cubin, symbols.offset + (info >> 32) * _SYMBOL.size)
            if kind & 0xF == _FUNCTION and _name(cubin, names.offset + name) != function:
                return True
    return False
