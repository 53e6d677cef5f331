"""The page: what it shows, that it loads nothing, and that texts of files stay texts."""

import re

import pytest
from sonde_tools.compare import command
from synthetic_runs import run, runs


@pytest.fixture
def page(group, tmp_path, charts_of):
    """The page of two sides, and the pictures in it."""

    def make(base, new):
        out = tmp_path / "compared.html"
        command.main([group("base", base), group("new", new), "--format", "html", "-o", str(out)])
        text = out.read_text(encoding="utf-8")
        return text, charts_of(text)

    return make


def test_shows_what_changed_with_the_runs_of_both_sides(page):
    text, charts = page(runs(2), runs(2, first=101, level_2_latency=1.2))
    body = text[: text.index("<script")]
    assert "<h2>Slower (1)</h2>" in body and "level 2 latency" in body and "simulated" in body
    assert {"slower", "same", "curve-0"} <= charts.keys() <= {"slower", "same", "cannot-tell", "curve-0", "curve-1"}
    rows = charts["slower"]["data"]["values"]
    assert {row["side"] for row in rows} == {"BASE", "NEW"} and len([row for row in rows if row["side"] == "NEW"]) >= 2


def test_draws_the_curves_of_both_sides_over_each_other(page):
    lines = runs(1, first=7) + runs(1, first=8)
    for one in lines:
        extra = [{**sample, "x": {"bytes": 1 << 20}} for sample in one if sample["record"] == "sample"]
        one[-1:-1] = extra
    text, charts = page(lines[:1], lines[1:])
    assert {"curve-0", "curve-1"} <= charts.keys()
    assert [name for name, *_ in charts["curve-0"]["lines"]] == ["BASE", "NEW"]
    assert "Latency, OpenCL" in text


def test_loads_nothing_and_takes_no_text_for_markup(page):
    changed = run(2, level_2_latency=1.5)
    changed[1]["name"] = "</script><script>alert(1)</script>\x1b"
    text, _ = page([run(1)], [changed])
    assert "<script>alert" not in text and "\x1b" not in text
    assert "default-src 'none'" in text
    body = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["']?(?!#)""", body)
