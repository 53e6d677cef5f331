"""Every colour that a picture draws has another for the dark, in which it can be told from the ground."""

import browser
import pytest
from sonde_tools import contention, marks, page, style

TEXT = ["#222", "#333", "#000"]
CURVES = [*style.COLOURS, contention.CONTROL_COLOUR]


def rgb(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    return tuple(int(digits[start : start + 2], 16) for start in (0, 2, 4))


def test_contrast_is_that_of_the_guidelines():
    assert browser.contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert browser.contrast(rgb("#777"), (255, 255, 255)) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colour", CURVES)
def test_curves_stand_out_on_white_and_in_the_dark(colour):
    assert browser.contrast(rgb(colour), (255, 255, 255)) >= 2.4
    assert browser.contrast(rgb(page.DARK[colour]), rgb(page.GROUND)) >= 4.5


@pytest.mark.parametrize("colour", CURVES)
def test_words_of_a_curves_colour_can_be_read_on_white_and_in_the_dark(colour):
    words = style.text_colour(colour)
    assert browser.contrast(rgb(words), (255, 255, 255)) >= 4.5
    assert browser.contrast(rgb(page.DARK[words]), rgb(page.GROUND)) >= 4.5


@pytest.mark.parametrize("colour", [*TEXT, marks.NEUTRAL])
def test_words_can_be_read_in_the_dark(colour):
    assert browser.contrast(rgb(page.DARK[colour]), rgb(page.GROUND)) >= 4.5


def test_no_two_curves_look_alike():
    assert len(set(CURVES)) == len(CURVES) == len({page.DARK[colour] for colour in CURVES})


def test_the_ground_is_that_of_the_page(root):
    style = (root / "tools/sonde_tools/page.css").read_text(encoding="utf-8")
    dark = style[style.index("screen and (prefers-color-scheme: dark)") :]
    assert f"--card: {page.GROUND};" in dark
    assert '[stroke="#0072b2"] { stroke: #4da6e8; }' in page.dark_rules()
