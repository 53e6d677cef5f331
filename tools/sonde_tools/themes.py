"""The page in the dark: pictures are drawn for white paper, and style rules give each of their colours another."""

# Each at least three times as light as the ground where it is a line, and 4.5 times where it is text.
GROUND = "#1d2126"
DARK = {
    "white": GROUND, "#222": "#e7eaee", "#333": "#d5dae0", "#000": "#e7eaee", "#5b6470": "#a9b2bd", "#e4e4e4": "#343b43",
    "#888": "#77808a", "#777777": "#9aa3ad",
    "#0072b2": "#4da6e8", "#d55e00": "#ff8b3d", "#4d4d4d": "#c9ced4", "#8e3a80": "#c792ea", "#009e73": "#2fc79a",
    "#cc79a7": "#f7a8cf", "#b8860b": "#e5b93c", "#3aa0dc": "#a3e0ff", "#332288": "#8f88f5", "#882255": "#e0608f",
    "#117733": "#7bc74d", "#999933": "#d4d46a", "#cc6677": "#f08a99", "#661100": "#cf7350", "#44aa99": "#7ddccb",
}  # fmt: skip


def rules():
    """Style rules for everything that a picture draws, and for the dots beside its lines in words."""
    return "\n".join(
        f'  main svg [{name}="{light}"] {{ {name}: {dark}; }}'
        for light, dark in DARK.items()
        for name in ("fill", "stroke")
    )
