"""Record files that somebody, a disk or a later version has spoilt: mutations of good ones by a seed."""

import copy
import json
import random

NASTY = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 1e308, 1e300, 1e-308, 5e-324, -0.0, 0.5, -1e9, 1e19,
    "", "0", "4096", "vector", "memory", "x" * 5000, "\x00\x1b[31m\x9b", "\u202e</script><b>", "\U0001f600" * 300, "../../x", "%s%n",
    [], [0], [None], ["x"], {}, {"a": {}}, {"": ""}, {"low": 1, "value": 2, "high": 3}, {"bytes": 0},
]  # fmt: skip
RAW = [b"NaN", b"Infinity", b"-Infinity", b"1e999", b'"\\ud800"', b"[" * 30_000, b'{"a":' * 30_000, b"0x10", b"01",
       b"99999999999999999999999999999999", b'"\xff\xfe"', b"\x00", b"'x'"]  # fmt: skip


def mutated_lines(records, seed):
    """The bytes of a record file whose records were spoilt in one to three places."""
    chance = random.Random(seed)
    found = copy.deepcopy(records)
    for _ in range(chance.randint(1, 3)):
        chance.choice([_spoil_value, _spoil_value, _spoil_value, _move, _spoil_kind])(found, chance)
    text = b"".join(_encoded(record, chance) + b"\n" for record in found)
    return chance.choice([_as_it_is, _as_it_is, _as_it_is, _flipped, _cut])(text, chance)


def _encoded(record, chance):
    text = json.dumps(record).encode()
    return text.replace(b'"RAW"', chance.choice(RAW)) if b'"RAW"' in text else text


def _places(value, found):
    """Every (container, key) below a value."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        _places(value[key], found)
    return found


def _spoil_value(records, chance):
    places = _places(chance.choice(records), [])
    if not places:
        return
    container, key = chance.choice(places)
    how = chance.random()
    if how < 0.15:
        del container[key]
    elif how < 0.25:
        container[key] = "RAW"
    elif how < 0.35 and isinstance(container[key], list):
        container[key] = [chance.choice(NASTY) for _ in container[key]]
    elif how < 0.45 and isinstance(container, dict):
        container[chance.choice(["bytes", "record", "path", "x", "", "value"])] = container[key]
    else:
        container[key] = chance.choice(NASTY)


def _move(records, chance):
    record = records.pop(chance.randrange(len(records)))
    for _ in range(chance.choice([0, 1, 1, 2])):
        records.insert(chance.randint(0, len(records)), copy.deepcopy(record))
    if not records:
        records.append(record)


def _spoil_kind(records, chance):
    record = chance.choice(records)
    if isinstance(record, dict):
        record["record"] = chance.choice(
            ["run", "device", "sample", "level", "finding", "end", "counter", "skip", "", 3]
        )


def _as_it_is(text, _):
    return text


def _flipped(text, chance):
    changed = bytearray(text)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(text, chance):
    return text[: chance.randrange(len(text))]
