"""The gallery's pictures (docs/results, README) are what today's program draws of their records."""

import json
import shutil

import gallery
import pytest
from sonde_tools import style

FRAMES = "strix-halo-simulated/frames-hit-rate.png"


@pytest.fixture
def copied(program, tmp_path, monkeypatch):
    """One drawing of the gallery in a folder of its own."""
    for name in (FRAMES, *gallery.DRAWINGS[FRAMES].files, gallery.HASHES):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(gallery.RESULTS / name, tmp_path / name)
    monkeypatch.setattr(gallery, "RESULTS", tmp_path)
    monkeypatch.setattr(gallery, "DRAWINGS", {FRAMES: gallery.DRAWINGS[FRAMES]})
    assert gallery.outdated() == []
    return tmp_path


def test_every_picture_is_todays(program, capsys):
    assert gallery.main(["--check"]) == 0, capsys.readouterr().err


def test_every_picture_of_the_gallery_is_checked(root):
    shown = {str(path.relative_to(gallery.RESULTS)) for path in gallery.RESULTS.rglob("*.png")}
    assert shown == gallery.DRAWINGS.keys()
    known = json.loads((gallery.RESULTS / gallery.HASHES).read_text(encoding="utf-8"))
    assert known.keys() == gallery.DRAWINGS.keys()


def test_another_value_in_the_record_is_noticed(copied, capsys):
    record = copied / gallery.DRAWINGS[FRAMES].files[0]
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("2026-11-26T", "2026-11-27T"), encoding="utf-8")
    assert gallery.main(["--check"]) == 1
    assert "frames-hit-rate.png is not what today's program draws" in capsys.readouterr().err


def test_another_way_of_drawing_is_noticed(copied, monkeypatch):
    monkeypatch.setattr(style, "COLOURS", ["#123456", *style.COLOURS[1:]])
    assert gallery.outdated() == [FRAMES]


def test_a_file_that_was_changed_by_hand_is_noticed_and_drawn_anew(copied):
    (copied / FRAMES).write_bytes(b"no picture")
    assert gallery.outdated() == [FRAMES]
    assert gallery.main([]) == 0
    assert gallery.outdated() == [] and (copied / FRAMES).read_bytes().startswith(b"\x89PNG")
