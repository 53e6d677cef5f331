"""The records of a run, in whatever order they stand, however often, and in how many files."""

import msgspec

from sonde_tools import old_files
from sonde_tools.series import canonical

_ENCODER = msgspec.json.Encoder(order="deterministic")
# Findings that are known stand in the order of their list, whatever files call them.
_KINDS = {(kind["probe"], kind["finding"]): number for number, kind in enumerate(old_files.finding_kinds())}


def texts(records):
    """The texts (set of bytes) of records, equal for what says the same."""
    return {_ENCODER.encode(record) for record in records}


def once_in_order(records):
    """The records (list of dicts), each once, in an order that they say themselves; samples of one visit as one."""
    once = {_ENCODER.encode(record): record for record in records}
    return _by_visit(record for _, record in sorted(once.items(), key=_place))


def _place(text_and_record):
    """The key of the order: by kind, then by time, or by curve from the nearest level or the smallest value on."""
    text, record = text_and_record
    kind = record["record"]
    if kind in ("sample", "counter"):  # curves that are seen at one time stay as they stand
        return kind, record.get("t") or 0
    if kind == "device":  # a processor is shown behind the devices beside it
        return kind, record["type"] == "cpu", text
    device, api, probe = (record.get(name) or "" for name in ("device", "api", "probe"))
    known = _KINDS.get((probe, record.get("finding")), len(_KINDS))
    numbered = record.get("level") or record.get("value") or 0
    own = canonical(record.get("series"))
    series = *(own.pop(key, "") for key in sorted(old_files.DEFAULTS)), *own.items()  # what is a default comes first
    return kind, device, probe, known, record.get("finding") or "", api, series, numbered, text


def _by_visit(records):
    """Joins the samples of one point that were taken at one time."""
    seen, kept = {}, []
    for record in records:
        same = seen.setdefault(_visit(record), record) if record["record"] == "sample" and record.get("t") else record
        if same is record:
            kept.append(record)
        else:
            same["values"] = same["values"] + record["values"]
            if same.get("visits"):
                same["visits"] = [len(same["values"])]
    return kept


def _visit(sample):
    shape = (sample.get("state") or {}).get("shape")
    return _ENCODER.encode([*(sample[name] for name in ("t", "device", "api", "probe", "series", "x", "unit")), shape])
