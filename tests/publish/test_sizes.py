"""Warnings of a site that outgrows what hosts take, with what to do about it."""

from perftrack.publish.sizes import MOST_BYTES, MOST_FILES, FolderSize, size_warnings


def test_a_small_site_has_no_warning() -> None:
    assert size_warnings({"data": FolderSize(MOST_FILES, MOST_BYTES)}) == ()


def test_a_large_one_is_told_with_its_largest_part_and_what_to_prune() -> None:
    (warning,) = size_warnings({"data/samples": FolderSize(9, MOST_BYTES), "data/runs": FolderSize(9, 10**6)})
    assert "501 MB" in warning and "500 MB of it are data/samples" in warning and "--samples N" in warning


def test_many_files_are_told_as_well() -> None:
    (warning,) = size_warnings({"benchmarks": FolderSize(MOST_FILES, 1), "data": FolderSize(1, 2)})
    assert f"{MOST_FILES + 1} files" in warning and f"{MOST_FILES} of them in benchmarks" in warning
