"""Commit links from Git remotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.publish.forge import forge_of

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("remote", "link"),
    [
        ("https://github.com/o/r.git", "https://github.com/o/r/commit/"),
        ("https://github.com/o/r", "https://github.com/o/r/commit/"),
        ("git@github.com:o/r.git", "https://github.com/o/r/commit/"),
        ("ssh://git@github.com:22/o/r.git", "https://github.com/o/r/commit/"),
        ("git+ssh://git@github.com/o/r.git", "https://github.com/o/r/commit/"),
        ("https://gitlab.com/group/sub/r.git", "https://gitlab.com/group/sub/r/-/commit/"),
        ("git@gitlab.example.org:o/r.git", "https://gitlab.example.org/o/r/-/commit/"),
        ("https://bitbucket.org/o/r.git", "https://bitbucket.org/o/r/commits/"),
        ("http://forge.local:3000/o/r.git", "http://forge.local:3000/o/r/commit/"),
        ("https://git.example.org/~me/r", "https://git.example.org/~me/r/commit/"),
        ("GIT@GitHub.com:o/r.git", "https://github.com/o/r/commit/"),
    ],
)
def test_a_remote_gives_the_address_of_a_commit(remote: str, link: str) -> None:
    forge = forge_of(remote)
    assert forge is not None
    assert forge.commit(SHA) == link + SHA


@pytest.mark.parametrize(
    "remote",
    [
        None,
        "",
        "/srv/git/r.git",
        "../r",
        "file:///srv/git/r.git",
        "javascript:alert(1)",
        "javascript://github.com/%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "https://",
        "https://github.com",
        "https://[bad/o/r",
        "https://host name/o/r",
        'https://host"onmouseover=alert(1)/o/r',
        "C:\\repos\\r",
    ],
)
def test_what_is_no_forge_gives_no_link(remote: str | None) -> None:
    assert forge_of(remote) is None


@pytest.mark.parametrize("remote", ["https://me:s3cret@github.com/o/r.git", "https://s3cret@github.com/o/r"])
def test_credentials_never_reach_a_link(remote: str) -> None:
    forge = forge_of(remote)
    assert forge is not None
    assert "s3cret" not in forge.home + forge.commit_prefix


def test_only_a_sha_is_linked() -> None:
    forge = forge_of("https://github.com/o/r")
    assert forge is not None
    assert forge.commit('"><script>') is None


@given(st.text(max_size=60))
def test_a_link_is_always_http_and_has_no_quote_or_bracket(remote: str) -> None:
    for candidate in (remote, f"https://github.com/{remote}", f"git@github.com:{remote}"):
        forge = forge_of(candidate)
        if forge is not None:
            assert forge.home.startswith(("http://", "https://"))
            assert not set(forge.commit_prefix) & set("\"'<> \n\\")
