"""The records of docs/records.md as types that the decoder holds every file to: what is behind it may trust its input.

Fields that no type names pass and are left out; so do kinds of record that nobody here knows. docs/records.schema.json is
made from these types (schema.py).
"""

from typing import Annotated, Literal, Required, TypedDict

from msgspec import Meta

# The largest whole number that any reader of JSON holds; the numbers in a file are nanoseconds, bytes, shares.
_LARGEST = 2**63 - 1
_LARGEST_FLOAT = 1e300


def _number(**bounds):
    floats = {"ge": -_LARGEST_FLOAT, "le": _LARGEST_FLOAT} if "gt" not in bounds else {"le": _LARGEST_FLOAT}
    whole = {"ge": -_LARGEST, "le": _LARGEST} if "gt" not in bounds else {"le": _LARGEST}
    return Annotated[int, Meta(**(whole | bounds))] | Annotated[float, Meta(**(floats | bounds))]


def _words(*words):
    """A name that this version writes as one of these words; a reader takes others too."""
    return Annotated[Name, Meta(extra_json_schema={"enum": list(words)})]


Name = Annotated[str, Meta(min_length=1, max_length=1000)]
Text = Annotated[str, Meta(max_length=100_000)]
Sentence = Annotated[str, Meta(min_length=1, max_length=100_000)]
Count = Annotated[int, Meta(ge=0, le=_LARGEST)]
Number, NotNegative, Positive, Share = _number(), _number(ge=0), _number(gt=0), _number(ge=0, le=1)
LevelNumber = Annotated[int, Meta(ge=1, le=1000)]
PerClock = Annotated[int, Meta(ge=-1, le=1)]
Series = Annotated[dict[Name, Name], Meta(max_length=50)]
Numbers = Annotated[dict[Name, Number], Meta(max_length=50)]
Api = _words("opencl", "vulkan", "cpu", "model")
Unit = _words("ns", "us", "ms", "cycles", "GB/s", "Gop/s", "bytes", "ratio", "operations/byte")
Better = _words("higher", "lower")
Time = Annotated[Text, Meta(extra_json_schema={"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$"})]
LevelName = Annotated[Name, Meta(extra_json_schema={"pattern": r"^(level [1-9]\d*|memory|beyond)$"})]

# The fields of each type that this version always writes although a reader can do without them.
ALWAYS_WRITTEN = {}
# The type of each kind of record.
RECORDS = {}


def _type(name, description, needed, written=None, optional=None):
    """A type of object, by three kinds of fields, {names with spaces between: type}.

    needed: without which a record is none; written: always there, maybe null, but a reader can do without; optional.
    """
    fields = {field: Required[type_] for names, type_ in needed.items() for field in names.split()}
    for group in (written or {}, optional or {}):
        fields |= {field: type_ | None for names, type_ in group.items() for field in names.split()}
    ALWAYS_WRITTEN[name] = [field for names in written or {} for field in names.split()]
    made = TypedDict(name, fields, total=False)
    made.__doc__ = description
    return made


def _record(kind, description, needed, written=None, optional=None):
    name = kind.title().replace("-", "")
    RECORDS[kind] = _type(name, description, {"record": Literal[kind]} | needed, written, optional)


Interval = _type(
    "Interval", "A value of either sign and the interval that another run finds it in.", {"low value high": Number}
)
Band = _type("Band", "A value and the interval that holds it.", {"low high": NotNegative, "value": Positive})
Transition = _type(
    "Transition", "Bytes where a curve begins to leave a level, and where it has left it.", {}, {"onset end": Positive}
)
Host = _type(
    "Host", "Where a run was made.", {},
    {"name os kernel cpu": Text, "cores": Annotated[int, Meta(ge=0, le=2**32 - 1)], "memory_bytes": Count,
     "virtualised": bool},
)  # fmt: skip
DuelSide = _type(
    "DuelSide", "Which side of a duel a run is, and by which settings it differs from the other, whose file has the same id.",
    {"id": Name, "side": _words("base", "new"), "settings": Annotated[list[Text], Meta(max_length=1000)]},
)  # fmt: skip
Driver = _type("Driver", "What one API says of a device.", {}, {"platform driver driver_version api_version": Text})
StatedCache = _type(
    "StatedCache", "A cache that the system or a driver names.", {"bytes": Count, "source": Text}, {"level": Count}
)
State = _type(
    "State", "What was around a sample.", {}, {},
    {"foreign_cpu steal interrupted smt_interference": Share, "disturbed clock_settled": bool,
     "attempts steps involuntary_switches": Count, "laps_settling launch_ns power_watts": NotNegative,
     "gpu_clock_mhz memory_clock_mhz cpu_clock_mhz": NotNegative, "clock_mhz memory_peak_gbps": Positive,
     "drift temperature_celsius": Number, "shape": Numbers, "instruction": Text,
     "clock_source": _words("shader-clock", "arithmetic-chain"),
     # Of counters alone.
     "cpu_requests gpu_requests io_requests l3_latency_ns l3_samples memory_clock uncalibrated other": NotNegative,
     "spread": Number, "labels": Annotated[list[Name], Meta(max_length=100)],
     "throttle_reasons": Annotated[list[_words("power", "temperature", "current", "other")], Meta(max_length=100)]},
)  # fmt: skip
TableOfCurves = _type(
    "TableOfCurves", 'The table that a curve belongs in: keys of series or x, ", " between them, or "title".',
    {"title rows columns": Text},
)  # fmt: skip

_OF_A_POINT = {"device probe": Name, "api": Api, "series": Series}
_MAYBE_OF_A_POINT = _OF_A_POINT | {"x": Numbers}

_record(
    "run", "The first record of a file.", {},
    {"schema": int, "run version commit": Text, "time": Time, "effort": _words("quick", "normal", "thorough"),
     "command": Annotated[list[Text], Meta(max_length=10_000)], "seed": Annotated[int, Meta(ge=0)], "host": Host},
    {"duel": DuelSide},
)  # fmt: skip
_record(
    "device", "A device that was measured.",
    {"device name": Name},
    {"type": _words("discrete", "integrated", "cpu", "model"), "uuid pci": Text, "compute_units memory_bytes": Count, "unified_memory": bool, "opencl vulkan": Driver},
    {"line_bytes": Annotated[int, Meta(ge=0, le=1 << 20)], "stated_caches": Annotated[list[StatedCache], Meta(max_length=100)]},
)  # fmt: skip
_record(
    "curve", "What one curve is, before its first sample.",
    {"curve probe": Name, "series": Series, "unit": Unit, "title x": Text},
    {"better": Better, "per_clock": PerClock, "table": TableOfCurves},
)  # fmt: skip
_record(
    "sample", "The repetitions of one point.",
    {**_OF_A_POINT, "x": Numbers, "unit": Unit,
     "values": Annotated[list[Number], Meta(min_length=1, max_length=10_000_000)]},
    {"state": State, "t": NotNegative},
    {"visits process": Annotated[list[Count], Meta(max_length=10_000)], "pair": Count, "interval": Interval},
)  # fmt: skip
_record(
    "level", "A level of a memory hierarchy.", {**_OF_A_POINT, "level": LevelNumber}, {"bytes": Band},
    {"name": LevelName, "or_translation unfinished": bool, "matches": LevelNumber, "transition": Transition,
     "either": Annotated[list[Positive], Meta(min_length=2, max_length=2)],
     "latency_ns cycles bandwidth": Band},
)  # fmt: skip
_record(
    "finding-kind", "What a fixed word of findings means, before the first finding of that kind.",
    {"probe finding heading": Name},
    {"meaning": Text, "better": Better, "named_by": Annotated[list[Name], Meta(max_length=50)]},
    {"feature": Name, "compared": _words("ratio", "difference", "word"), "per_clock": PerClock},
)  # fmt: skip
_record(
    "finding", "A conclusion with its evidence.", {"device finding": Name, "evidence": Sentence},
    {"probe": Name, "api": Api, "series": Series}, {"value low high": Number, "unit": Unit, "details": Numbers},
)  # fmt: skip
_record(
    "counter",
    "What counters counted in an interval: bytes, null where unknown. Of a run also beside which point, and for how many "
    "bytes that its kernel asked for.",
    {"source": Name, "t": NotNegative, "dt": Positive}, {},
    {"fabric_read fabric_write memory_read memory_write gpu_read gpu_write cpu_read cpu_write": NotNegative,
     "cpu_latency_ns moved_bytes": NotNegative, "beat_bytes": Count, "scale": _number(ge=1, le=10**18), "scaled baseline": bool, "state": State,
     # A hit rate below 0 or above 1 is evidence too.
     "hit_rate fabric_per_byte memory_per_byte": Number, **_MAYBE_OF_A_POINT},
)  # fmt: skip
_WHY = {"reason": Sentence}
_record("skip", "What was not measured, and why.", _WHY, {}, _MAYBE_OF_A_POINT)
_record("error", "What was tried and failed.", _WHY, {}, _MAYBE_OF_A_POINT)
_record(
    "end", "The last record.", {"status": _words("complete", "interrupted", "failed")},
    {"seconds": NotNegative, "samples skips errors": Count},
)  # fmt: skip
