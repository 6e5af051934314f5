"""perftrack-epochs.toml: what is read, what is refused, and what an addition leaves alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perftrack.config import epochs
from perftrack.config.epochs import EPOCHS_FILE, add_epoch, load_epochs
from perftrack.core.epoch import Epoch
from perftrack.core.text import flaw
from perftrack.errors import ConfigError

SHA = "0123456789abcdef" * 2 + "01234567"
EPOCH = Epoch("tokenize", SHA, "safer parsing")

shown = st.text(min_size=1, max_size=60).filter(lambda t: t.strip() and flaw(t) is None)


def test_without_a_file_nothing_is_accepted(tmp_path: Path):
    assert load_epochs(tmp_path) == ()


@given(shown, shown, st.one_of(st.just(""), shown))
def test_what_is_added_is_read_back(tmp_path_factory, bench, reason, metric):
    root = tmp_path_factory.mktemp("epochs")
    epoch = Epoch(bench, SHA, reason, metric)
    add_epoch(root, EPOCH)
    if epoch != EPOCH:
        add_epoch(root, epoch)
    assert load_epochs(root)[-1] == epoch


def test_an_addition_keeps_comments_other_entries_and_line_ends(tmp_path: Path):
    before = f'# mine\r\n[[epoch]]  # odd\r\nbench = "a"\r\nat = "{SHA}"\r\nreason = \'x\''
    (tmp_path / EPOCHS_FILE).write_bytes(before.encode())
    add_epoch(tmp_path, EPOCH)
    assert (tmp_path / EPOCHS_FILE).read_bytes().startswith(before.encode() + b"\n")
    assert load_epochs(tmp_path) == (Epoch("a", SHA, "x"), EPOCH)


def test_a_duplicate_is_refused_and_the_file_stays(tmp_path: Path):
    path = add_epoch(tmp_path, EPOCH)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match="already: safer parsing"):
        add_epoch(tmp_path, Epoch("tokenize", SHA, "another reason"))
    assert path.read_bytes() == before
    add_epoch(tmp_path, Epoch("tokenize", SHA, "of memory alone", "memory"))
    assert len(load_epochs(tmp_path)) == 2


def test_an_inline_array_cannot_be_added_to_and_stays(tmp_path: Path):
    text = f'epoch = [{{bench = "a", at = "{SHA}", reason = "x"}}]\n'
    (tmp_path / EPOCHS_FILE).write_text(text)
    assert load_epochs(tmp_path) == (Epoch("a", SHA, "x"),)
    with pytest.raises(ConfigError):
        add_epoch(tmp_path, EPOCH)
    assert (tmp_path / EPOCHS_FILE).read_text() == text


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch):
    path = add_epoch(tmp_path, EPOCH)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(epochs.os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        add_epoch(tmp_path, Epoch("other", SHA, "x"))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [EPOCHS_FILE]


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path):
    real = tmp_path / "real.toml"
    real.write_text("")
    real.chmod(0o640)
    (tmp_path / EPOCHS_FILE).symlink_to(real)
    add_epoch(tmp_path, EPOCH)
    assert (tmp_path / EPOCHS_FILE).is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert load_epochs(tmp_path) == (EPOCH,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("epoch = 3", "array of tables"),
        ("[[epochs]]", "unknown key 'epochs'"),
        ("[[epoch]]", "epoch 1: needs `bench`"),
        (f'[[epoch]]\nbench = "a"\nat = "{SHA}"\nreason = " "', "reason must have"),
        (f'[[epoch]]\nbench = "a"\nat = "{SHA}"\nreason = "x\\ny"', "control character"),
        ('[[epoch]]\nbench = "a"\nat = "main"\nreason = "x"', "full SHA"),
        (f'[[epoch]]\nbench = 3\nat = "{SHA}"\nreason = "x"', "bench must be a string"),
        (f'[[epoch]]\nbench = "a"\nat = "{SHA}"\nreason = "x"\nby = "me"', "unknown key 'by'"),
        ("[[epoch", EPOCHS_FILE),
        ('[[epoch]]\nbench = "\\udc80"', EPOCHS_FILE),
    ],
)
def test_a_bad_file_names_what_is_wrong(tmp_path: Path, text, said):
    (tmp_path / EPOCHS_FILE).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_epochs(tmp_path)
    assert said in caught.value.message


def test_every_problem_is_reported_at_once(tmp_path: Path):
    (tmp_path / EPOCHS_FILE).write_text("[[epoch]]\n[[epoch]]\nbench = 3\n")
    with pytest.raises(ConfigError, match=r"(?s)epoch 1: .*epoch 2: bench"):
        load_epochs(tmp_path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / EPOCHS_FILE).write_bytes(b"\xff")
    with pytest.raises(ConfigError):
        load_epochs(tmp_path)
