"""The script of the pages is made once and kept; a cache that is spoilt or cannot be written to spoils no page."""

import pytest
from sonde_tools import library


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Counts how often the script is made, and keeps it in an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    times = []
    monkeypatch.setattr(library, "_made", lambda: times.append(1) or "draw();\nmore();\n")
    return times


def kept(tmp_path):
    (file,) = (tmp_path / "cache" / "sonde").iterdir()
    return file


def test_it_is_made_once(made, tmp_path):
    assert library.javascript() == library.javascript() == "draw();\nmore();\n"
    assert len(made) == 1 and kept(tmp_path).name.endswith(".js")


@pytest.mark.parametrize("spoilt", [b"", b"draw();", b"\xff\xfe", b"// 0\ndraw();\nmore();\n"])
def test_what_was_spoilt_is_made_anew(made, tmp_path, spoilt):
    library.javascript()
    kept(tmp_path).write_bytes(spoilt)
    assert library.javascript() == "draw();\nmore();\n" and len(made) == 2
    assert library.javascript() == "draw();\nmore();\n" and len(made) == 2


def test_a_cut_file_is_made_anew(made, tmp_path):
    library.javascript()
    kept(tmp_path).write_bytes(kept(tmp_path).read_bytes()[:-3])
    assert library.javascript() == "draw();\nmore();\n" and len(made) == 2


def test_a_cache_that_cannot_be_written_to_costs_time_only(made, tmp_path):
    (tmp_path / "cache").write_text("no folder")
    assert library.javascript() == library.javascript() and len(made) == 2
