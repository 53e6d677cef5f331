#!/usr/bin/env python3
"""Counts what a JUnit file says of tests.

tools/count_tests.py REPORT [FOLDER] prints `passed failed skipped`, then each failed test and the end of what it printed.
FOLDER has GoogleTest's files NAME.xml of those tests of ctest that ran several: these are counted in their place.
"""

import sys
import xml.etree.ElementTree as xml
from pathlib import Path

LINES_OF_A_FAILURE = 30


def root_of(file):
    """The file's element; an empty suite where the file is missing or was cut short."""
    try:
        return xml.parse(file).getroot()
    except (OSError, xml.ParseError):
        return xml.Element("testsuite")


def failure_of(test):
    """The element that says why a test failed, None if it has not."""
    return next((element for element in test if element.tag in ("failure", "error")), None)


def was_skipped(test):
    """Whether a test was left out: pytest and GoogleTest have an element for it, ctest a status too."""
    return test.find("skipped") is not None or test.get("status") in ("notrun", "disabled")


def tests_of(report, folder):
    """Each test of the report, or those that it ran; it counts itself where it failed beyond what they say."""
    for test in root_of(report).iter("testcase"):
        inner = list(root_of(folder / f"{test.get('name')}.xml").iter("testcase")) if folder else []
        inner = [one for one in inner if one.get("result") != "suppressed"]
        yield from inner
        if not inner or (failure_of(test) is not None and not any(failure_of(one) is not None for one in inner)):
            yield test


def main(report, folder=None):
    """Prints the counts and the failures."""
    tests = list(tests_of(report, folder and Path(folder)))
    failed = [test for test in tests if failure_of(test) is not None]
    skipped = [test for test in tests if failure_of(test) is None and was_skipped(test)]
    print(len(tests) - len(failed) - len(skipped), len(failed), len(skipped))
    for test in failed:
        print("==> failed:", " ".join(dict.fromkeys([test.get("classname", ""), test.get("name", "")])).strip())
        why = failure_of(test)
        text = (why.text or test.findtext("system-out") or why.get("message") or "").strip()
        print("\n".join("  " + line for line in text.splitlines()[-LINES_OF_A_FAILURE:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
