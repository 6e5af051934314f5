"""Parsers of single settings: what they take, and how they say no."""

from __future__ import annotations

from pathlib import Path

import pytest

from perftrack.config import parse_config
from perftrack.config.values import address, renamed
from perftrack.errors import ConfigError


@pytest.mark.parametrize("given", ["https://example.org/perf/", "http://localhost:8000", "https://a.b/~me/x-y_z"])
def test_an_address_is_kept_as_it_is(given: str):
    assert address(given) == given


@pytest.mark.parametrize(
    "given",
    [
        "javascript:alert(1)",
        "example.org",
        "https://",
        "https://x y",
        "https://x)",
        "https://x\n",
        "ftp://x",
        "",
        3,
    ],
)
def test_what_could_not_stand_in_a_link_is_refused(given: object):
    with pytest.raises(ValueError, match="must be"):
        address(given)


def test_renames_are_lists_by_present_name():
    assert renamed({"new": ["old", "older"]}) == {"new": ("old", "older")}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["new"], "must be a table"),
        ({"new": "old"}, "must be a list"),
        ({"new": ["a\nb"]}, "control character"),
        ({"": ["a"]}, "characters"),
        ({"x": ["a"], "y": ["a"]}, "of both"),
        ({"x": ["y"], "y": ["x"]}, "of itself"),
    ],
)
def test_renames_that_cannot_be_are_refused(given: object, said: str):
    with pytest.raises(ValueError) as caught:
        renamed(given)
    assert said in str(caught.value)


def test_both_are_settings_of_the_file():
    config = parse_config({"site-url": "https://x.example", "aliases": {"new": ["old"]}}, Path("perftrack.toml"))
    assert (config.site_url, config.aliases) == ("https://x.example", {"new": ("old",)})
    with pytest.raises(ConfigError, match="of itself"):
        parse_config({"aliases": {"x": ["x"]}}, Path("perftrack.toml"))
