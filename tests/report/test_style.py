"""How curves are told apart: by colour what they are of, by marker and dash through which API."""

from types import SimpleNamespace

from sonde_tools import style


def labelled(*labels_and_apis):
    return [SimpleNamespace(label=label, curve=SimpleNamespace(api=api)) for label, api in labels_and_apis]


def test_colour_is_what_a_curve_is_of_and_marker_its_api():
    both = labelled(
        ("OpenCL, read", "opencl"), ("OpenCL, write", "opencl"), ("Vulkan, read", "vulkan"), ("Vulkan, write", "vulkan")
    )
    colours, markers = style.colours(both), style.markers(both)
    assert colours["OpenCL, read"] == colours["Vulkan, read"] != colours["OpenCL, write"] == colours["Vulkan, write"]
    assert set(colours.values()) == {"#0072b2", "#d55e00"}
    assert [markers[entry.label] for entry in both] == ["circle", "circle", "square", "square"]
    assert [style.is_dashed(entry.curve.api) for entry in both] == [False, False, True, True]


def test_where_all_curves_are_of_one_thing_the_apis_have_colours():
    alone = labelled(("OpenCL", "opencl"), ("Vulkan", "vulkan"))
    assert style.colours(alone) == {"OpenCL": "#0072b2", "Vulkan": "#d55e00"}
    both = [*alone, *labelled(("OpenCL, fabric loaded", "opencl"), ("Vulkan, fabric loaded", "vulkan"))]
    assert style.colours(both)["Vulkan, fabric loaded"] == "#d55e00"
    assert list(style.markers(both).values()) == ["circle", "square", "triangle-up", "diamond"]


def test_of_sixty_curves_of_one_api_no_two_are_alike():
    many = labelled(*((f"Device {number}", "opencl") for number in range(60)))
    colours, markers = style.colours(many), style.markers(many)
    assert len({(colours[entry.label], markers[entry.label]) for entry in many}) == 60


def test_a_long_line_below_a_title_stays_within_the_picture():
    lines = style.subtitle(["short", "word " * 50])
    assert lines[0] == "short" and len(lines) == 3 and all(len(line) <= 165 for line in lines)
