"""The words that the report knows are those that the schema lists; what each probe may find stands in the page too."""

import json
import re

import pytest
from sonde_tools import bandwidth, contention, copy, devices, findings, kinds, series


@pytest.fixture(scope="module")
def schema(root):
    return json.loads((root / "docs/records.schema.json").read_text(encoding="utf-8"))["$defs"]


@pytest.fixture(scope="module")
def words_of(schema):
    """The words of each key of a series."""
    return {key: words.get("enum") or words["anyOf"][0]["enum"]
            for key, words in schema["series"]["properties"].items() if "pattern" not in words}  # fmt: skip


@pytest.fixture(scope="module")
def found_by(schema):
    """The fixed words of each probe's findings."""
    listed = [one["properties"] for one in schema["finding"]["anyOf"]]
    return {one["probe"]["const"]: one["finding"]["enum"] for one in listed}


def test_the_schema_lists_each_word_where_it_belongs(schema, found_by):
    assert set(found_by) == set(schema["probe"]["enum"]), "what each probe may find: finding.anyOf of the schema"
    assert list(schema["series"]["properties"]) == schema["series"]["propertyNames"]["enum"]
    assert list(schema["x"]["properties"]) == schema["x"]["propertyNames"]["enum"]


def test_the_page_explains_every_finding(root, found_by):
    page = (root / "docs/records.md").read_text(encoding="utf-8")
    table = page[page.index("| probe | finding | meaning |") : page.index('```json\n{"record": "finding"')]
    explained = {
        (probe, word)
        for row in re.findall(r"^\| ([a-z, -]+) \| (`[^|]*`) \|", table, re.MULTILINE)
        for probe in row[0].split(", ")
        for word in re.findall(r"`([^`]+)`", row[1])
    }
    assert explained == {(probe, word) for probe, words in found_by.items() for word in words}


def test_every_finding_has_a_heading_and_no_other_word_has_one(found_by):
    assert set(findings.HEADINGS) == set().union(*found_by.values())


def test_the_sections_know_no_other_words(schema, words_of):
    assert list(devices.API_NAMES) == schema["api"]["enum"]
    assert set(kinds.PROBES) <= set(schema["probe"]["enum"])
    assert {unit for _, unit, _ in kinds.COLUMNS} <= set(schema["unit"]["enum"])
    assert list(copy.DIRECTIONS) == words_of["direction"]
    assert bandwidth.MAIN_PATTERNS | set(contention._TRAFFIC) <= set(words_of["pattern"])
    assert set(bandwidth.OTHER_PATHS) <= set(words_of["path"])
    assert series._BANDWIDTHS_OWN[1] in words_of[series._BANDWIDTHS_OWN[0]]
