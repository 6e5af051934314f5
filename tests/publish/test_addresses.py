"""Page addresses: readable, unique, and never a name as it came."""

import re

from hypothesis import given
from hypothesis import strategies as st

from perftrack.core.model import Case
from perftrack.publish import addresses

PLAIN = re.compile(r"[a-z0-9-]+")


@given(st.text())
def test_any_name_becomes_a_plain_path_component(name: str) -> None:
    assert PLAIN.fullmatch(addresses.slug(name))
    assert len(addresses.slug(name)) < 64


@given(st.lists(st.text(), unique=True, min_size=2, max_size=8))
def test_different_names_have_different_addresses(names: list[str]) -> None:
    assert len({addresses.benchmark_page(name) for name in names}) == len(names)


def test_names_that_reduce_alike_are_kept_apart() -> None:
    assert addresses.slug("a b") != addresses.slug("a/b")


def test_an_address_is_readable() -> None:
    assert addresses.slug("Matmul Tiled").startswith("matmul-tiled-")


def test_a_path_as_a_name_stays_in_its_folder() -> None:
    assert addresses.benchmark_page("../../etc/passwd").count("/") == 1
    assert addresses.run_page("../../etc/passwd").count("/") == 0
    assert addresses.run_data("../../etc/passwd").count("/") == 2


def test_a_run_id_is_its_own_address() -> None:
    assert addresses.run_page("0123456789abcdef0123") == "run.html#run=0123456789abcdef0123"


def test_root_of_leads_back_to_the_front_page() -> None:
    assert [addresses.root_of(p) for p in ("index.html", "runs/a.html", "data/series/a.js")] == [
        "",
        "../",
        "../../",
    ]


def test_cases_that_read_alike_have_different_addresses() -> None:
    cases = [Case("b", (("n", v),)) for v in (1, 1.0, True, "1", "True", None, "None")]
    assert len({addresses.case_key(c) for c in cases}) == len(cases)


def test_the_order_of_parameters_is_no_part_of_an_address() -> None:
    assert addresses.case_key(Case("b", (("a", 1), ("n", 2)))) == addresses.case_key(
        Case("b", (("n", 2), ("a", 1)))
    )
