"""Record files that nobody would write: the reader refuses each in one sentence, or the page shows what it says."""

import contextlib
import copy
import io
import json
import os

import pytest
import synthetic
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sonde_tools import formats, page, records, report
from sonde_tools.devices import content_of, views_of

LONGEST_SENTENCE = 400
MARKUP = "</script><img src=x onerror=alert(1)>"
# A record of every kind, and of samples one of each curve: everything that a page has.
BASE = [record for number, record in enumerate(synthetic.full_records()) if number % 9 == 0 or number < 2]
BASE += [synthetic.finding_record(), *synthetic.bandwidth_level_records(), *synthetic.records()[-3:]]
BASE[2:2] = synthetic.counter_records(count=6, baseline=2)
# A probe that is drawn and put into tables by what its file declares.
BASE[2:2] = [synthetic.curve_record(), synthetic.finding_kind_record(named_by=["path"]),
             *({**sample, "probe": "added-later"} for sample in synthetic.sample_records("opencl", 1, every=4)),
             *(synthetic.finding_record("added-later", series={"path": path}) for path in ("scalar", "image"))]  # fmt: skip
# Where CI is set every run tries the same examples, so that a change is never blamed for what it did not do.
LIMITS = settings(
    deadline=None, database=None, derandomize="CI" in os.environ, suppress_health_check=list(HealthCheck)
)  # fmt: skip

WORDS = st.text(max_size=20) | st.sampled_from(
    [MARKUP, "\x00\x1b[31m", "x" * 2000, "../../x", "\u202e", "NaN", "\ud800"]
)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([0, 1, 1e300, 5e-324, 2**53 + 1])
LEAVES = st.none() | st.booleans() | NUMBERS | WORDS
VALUES = st.recursive(LEAVES, lambda below: st.lists(below, max_size=3) | st.dictionaries(WORDS, below, max_size=3))
# Many of these are what the types allow.
LIKELY = {
    bool: st.booleans(),
    int: st.integers(0, 2**63 - 1),
    float: st.floats(5e-324, 1e300),
    str: WORDS.filter(lambda word: "\ud800" not in word and 0 < len(word) <= 1000),
}


def places(value):
    """Every (container, key) below a value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in [(value, key), *places(value[key])]]


@st.composite
def spoilt(draw, likely):
    """Records of a run, of which one to four places were changed: to anything, or to what is likely allowed there."""
    found = copy.deepcopy(BASE)
    for _ in range(draw(st.integers(1, 4))):
        container, key = draw(st.sampled_from(places(found[draw(st.integers(0, len(found) - 1))])))
        kind = type(container[key])
        # Most fields may neither be missing nor be null.
        how = draw(st.sampled_from(["replace"] * 6 + ["remove", "null"]))
        if how == "remove" and isinstance(container, dict) and key != "record":
            del container[key]
        elif how == "null" and key != "record":
            container[key] = None
        elif not likely or kind in LIKELY and key != "record":
            container[key] = draw(LIKELY[kind] if likely else VALUES)
    return found


def text_of(found):
    return "".join(json.dumps(record) + "\n" for record in found).encode()


def recording_of(path, text):
    """What was read, or None where it was refused as a user may expect."""
    path.write_bytes(text)
    try:
        return records.read(path, io.StringIO())
    except records.RecordFileError as refusal:
        said = str(refusal)
        assert said.startswith(str(path)) and said.endswith(".")
        assert "\n" not in said and len(said) < LONGEST_SENTENCE
        return None


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("hostile") / "run.jsonl"


@LIMITS
@given(found=spoilt(likely=False))
def test_any_change_is_read_or_refused_in_one_sentence(path, found):
    recording_of(path, text_of(found))


@LIMITS
@given(at=st.floats(0, 1), length=st.integers(0, 50), instead=st.binary(max_size=50))
def test_other_bytes_are_read_or_refused_in_one_sentence(path, at, length, instead):
    text = text_of(BASE[:12])
    start = int(at * len(text))
    recording_of(path, text[:start] + instead + text[start + length :])


@settings(LIMITS, max_examples=12)
@given(found=spoilt(likely=True))
def test_what_is_read_is_shown(path, found):
    recording = recording_of(path, text_of(found))
    if recording is None:
        return
    file = content_of(recording)
    views = views_of([file])
    with contextlib.redirect_stderr(io.StringIO()):
        traffic = report._traffic([file])
        shown = [report.shown(view) for view in views]
        html = page.html([recording], shown, formats.slugs(view.device for view in views), traffic=traffic)
    assert MARKUP not in html


def test_most_likely_changes_reach_the_page(path):
    """The test above shows something only if most changes are read."""
    read = []

    @settings(LIMITS, max_examples=60)
    @given(found=spoilt(likely=True))
    def count(found):
        read.append(recording_of(path, text_of(found)) is not None)

    count()
    assert sum(read) > len(read) / 2
