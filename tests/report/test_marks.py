"""What is drawn of levels beside and above the curves."""

from sonde_tools import marks


def test_edges_that_several_curves_have_are_said_once():
    def said(*edges):
        layers = marks.Marks([], list(edges))._edge_layers(lambda name: {"field": name}, 500)
        return [row["text"] for row in layers[0]["data"]["values"] if row["text"]]

    assert said(("OpenCL", 4096)) == ["address translation"]
    assert said(("OpenCL", 8192), ("Vulkan", 8192), ("Vulkan", 4096)) == [
        "address translation, Vulkan", "address translation, 2 curves"
    ]  # fmt: skip


def names_of_rows(*labels):
    level = {"level": 1, "latency_ns": {"low": 1.0, "value": 1.0, "high": 1.0}}
    layers = marks._names([(label, [level]) for label in labels], dict.fromkeys(labels, "red"))
    return [row["name"] for row in layers[-1]["data"]["values"]]


def test_rows_have_the_part_of_their_name_by_which_they_differ():
    assert names_of_rows("OpenCL, fabric loaded", "Vulkan, fabric loaded") == ["OpenCL", "Vulkan"]
    assert names_of_rows("PoCL 3.1, cycle", "PoCL 6.0, cycle", "PoCL 6.0, all") == [
        "PoCL 3.1, cycle", "PoCL 6.0, cycle", "PoCL 6.0, all"
    ]  # fmt: skip
    assert names_of_rows("CPU, 4 KiB pages", "CPU, 2 MiB pages") == ["4 KiB pages", "2 MiB pages"]
    assert names_of_rows("OpenCL, fabric loaded") == ["OpenCL, fabric loaded"]
    assert names_of_rows("OpenCL", "OpenCL, fabric loaded") == ["OpenCL", "OpenCL, fabric loaded"]
