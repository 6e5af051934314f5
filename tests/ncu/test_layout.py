from __future__ import annotations

from perftrack.core.launches.launch import Counter
from perftrack.ncu.layout import CellCounters, Column, Layout
from perftrack.ncu.notation import Mark
from perftrack.ncu.units import parse_unit

TIME = Column("gpu__time_duration.sum", "", parse_unit("us"))


def column(name: str, unit: str = "", section: str = "") -> Column:
    return Column(name, section, parse_unit(unit))


def counters(columns: list[Column], cells: list[bytes]) -> CellCounters:
    return CellCounters(Layout(columns), cells, Mark.POINT)


def test_values_are_in_base_units() -> None:
    assert TIME.read(b"1,024.50", Mark.POINT) == (Counter("gpu__time_duration.sum", 1024.5e-6, "s"),)


def test_a_cell_without_a_value_gives_no_counter() -> None:
    found = counters([TIME, column("a__b")], [b"n/a", b"3"])
    assert list(found) == [Counter("a__b", 3.0)]
    assert found.named(TIME.name) == ()
    assert found.chosen((TIME.name, "a__b")) == {TIME.name: (), "a__b": (Counter("a__b", 3.0),)}


def test_text_has_no_unit() -> None:
    assert TIME.read(b"unknown", Mark.POINT) == (Counter(TIME.name, "unknown"),)


def test_what_a_cell_was_read_as_is_shared_between_launches() -> None:
    one, other = (counters([TIME], [b"7.25"]) for _ in range(2))
    assert one.named(TIME.name)[0] is other.named(TIME.name)[0]


def test_a_column_that_never_repeats_itself_keeps_few_of_its_cells() -> None:
    many = column("a__b")
    for value in range(3000):
        assert many.read(b"%d" % value, Mark.POINT) == (Counter("a__b", float(value)),)
    assert many.read(b"0", Mark.POINT)[0] is many.read(b"0", Mark.POINT)[0]
    assert many.read(b"2999", Mark.POINT)[0] is not many.read(b"2999", Mark.POINT)[0]


def test_wiring_and_lists_of_metrics_are_text_unless_plain_digits() -> None:
    wiring = column("nvlink__dstNumaId")
    assert wiring.read(b"1, 2", Mark.COMMA) == (Counter("nvlink__dstNumaId", "1, 2"),)
    assert wiring.read(b"4", Mark.POINT) == (Counter("nvlink__dstNumaId", 4.0),)
    assert wiring.read(b"n/a", Mark.POINT) == ()


def test_one_label_of_several_sections_is_found_in_file_order() -> None:
    found = counters([column("Rate", "%", "A"), TIME, column("Rate", "%", "B")], [b"1", b"2", b"3"])
    assert [(c.section, c.value) for c in found.named("Rate")] == [("A", 1.0), ("B", 3.0)]
    assert found.chosen(("Rate",)) == {"Rate": found.named("Rate")}
    assert found.names == ("Rate", TIME.name)


def test_repeated_columns_are_those_of_one_section() -> None:
    layout = Layout([column("x", section="A"), column("x", section="B"), column("x", section="A")])
    assert layout.repeated() == ((0, 2),)


def test_a_name_that_no_column_has_gives_nothing() -> None:
    found = counters([TIME], [b"1"])
    assert found.named("missing") == ()
    assert found.chosen(("missing",)) == {}
