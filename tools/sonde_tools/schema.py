"""Prints docs/records.schema.json: the types of records as JSON Schema, with what every record of this version has.

python -m sonde_tools.schema > docs/records.schema.json
"""

import json
import sys

import msgspec

from sonde_tools import record_types, records

_TITLE = "One record (one line) of a Sonde record file, schema 1"
_DESCRIPTION = (
    "Made from tools/sonde_tools/record_types.py by sonde_tools.schema. Other fields are allowed: readers ignore them. "
    "A reader refuses a record that lacks what readers_need names; patterns and words that are listed hold what this "
    "version writes. Sizes are bytes, latencies ns, bandwidths GB/s (1e9 bytes a second), durations seconds. What the words of a series "
    "mean stands in the file's own curve and finding-kind records."
)
_FURTHER = {
    "Run": {"properties": {"schema": {"const": records.SCHEMA}}},
    # A level is of latencies or of bandwidths.
    "Level": {"oneOf": [{"required": ["latency_ns"]}, {"required": ["bandwidth"]}]},
}


def schema():
    """The schema (object)."""
    references, definitions = msgspec.json.schema_components(
        record_types.RECORDS.values(), ref_template="#/$defs/{name}"
    )
    definitions = {name: _simple(definition) for name, definition in definitions.items()}
    for name, definition in definitions.items():
        needed = definition.get("required", [])
        wanted = {*needed, *record_types.ALWAYS_WRITTEN[name]}
        if needed:
            definition["readers_need"] = needed
        if wanted:
            definition["required"] = [field for field in definition["properties"] if field in wanted]
        for key, value in _FURTHER.get(name, {}).items():
            definition[key] = {**definition.get(key, {}), **value} if isinstance(value, dict) else value
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": _TITLE, "description": _DESCRIPTION,
        "anyOf": references, "$defs": definitions,
    }  # fmt: skip


def _is_said(key, value):
    # What a type is called here, and that numbers are no larger than any reader takes, tells nobody anything.
    if key == "title" and isinstance(value, str):
        return False
    return not (key in ("minimum", "maximum") and abs(value) >= 2**63 - 1)


def _simple(node):
    """The same with `number` for whole numbers or fractions, and null as one of a type's names."""
    if isinstance(node, list):
        return [_simple(each) for each in node]
    if not isinstance(node, dict):
        return node
    node = {key: _simple(each) for key, each in node.items() if _is_said(key, each)}
    choices = [each for each in node.get("anyOf", []) if each != {"type": "null"}]
    if [each.get("type") for each in choices] == ["integer", "number"]:
        del choices[0]
    if len(choices) != 1 or "type" not in choices[0]:
        return node
    if {"type": "null"} not in node["anyOf"]:
        return choices[0]
    words = {"enum": [*choices[0]["enum"], None]} if "enum" in choices[0] else {}
    return {**choices[0], **words, "type": [choices[0]["type"], "null"]}


def text():
    """The schema as it is checked in: a line a field."""
    found = schema()
    definitions = found.pop("$defs")
    lines = [json.dumps(found, indent=1)[:-2] + ",", ' "$defs": {']
    for name, definition in definitions.items():
        properties = definition.pop("properties")
        lines.append(f'  "{name}": {json.dumps(definition)[:-1]}, "properties": {{')
        lines += [f"   {json.dumps(field)}: {json.dumps(type_)}," for field, type_ in properties.items()]
        lines[-1] = lines[-1][:-1]
        lines.append("  }},")
    lines[-1] = lines[-1][:-1]
    return "\n".join([*lines, " }", "}", ""])


if __name__ == "__main__":
    sys.stdout.write(text())
