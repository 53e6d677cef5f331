#!/usr/bin/env python3
"""Makes the manual's pages and the completions of bash and zsh from what each command says under --help.

tools/manual.py OUTPUT VERSION PROGRAM… writes man1/*.1.gz, sonde.bash and _sonde; PROGRAM is how sonde is started.
"""

import gzip
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

OWN = ("list", "run", "levels", "watch")
DRAWN_BY_PYTHON = ("report", "compare")
# Where a heading of --help begins what is shown as it stands.
AS_IT_STANDS = re.compile(r"^(Examples|examples|exit status|Exit status|Efforts)\b.*:", re.MULTILINE)


@dataclass
class Option:
    """An option, or an argument that has no name: both of its names, what stands behind it, and what it does."""

    names: list[str]
    argument: str
    text: str

    @property
    def choices(self):
        """The words that may stand behind it, where --help lists all of them."""
        listed = re.search(r"\{([^}]*)\}", self.argument)
        if listed:
            return listed[1].split(",")
        named = re.match(r"Which probes: ([a-z-]+(?:, [a-z-]+)+)", self.text)
        return named[1].split(", ") if named else []

    @property
    def kind(self):
        """What is shown for what stands behind it, without the value that holds where it is not given."""
        return self.argument.removeprefix("TEXT:").split("=")[0].split(" ...")[0].strip()

    @property
    def default(self):
        """That value, in words."""
        value = self.argument.partition("=")[2]
        return f" (default: {value})" if value else ""

    @property
    def takes_a_file(self):
        """Whether a file or a folder may stand behind it."""
        return bool(re.search(r"FILE|DIR|OUT|SEL|^F\b", self.argument))


@dataclass
class Command:
    """What --help says of a command, taken apart."""

    name: str
    summary: str = ""
    usage: str = ""
    options: list[Option] = field(default_factory=list)
    arguments: list[Option] = field(default_factory=list)
    rest: str = ""


def entries(lines):
    """Pairs of a head and its text, of a list in two columns whose heads are indented by two blanks."""
    found = []
    for line in lines:
        if re.match(r"  \S", line):
            head, _, text = line.strip().partition("  ")
            found.append([head, text.strip()])
        elif line.strip() and found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def option_of(head, text):
    """As CLI11 writes it, "-o,--out FILE", or as argparse does, "-o OUT, --out OUT"."""
    names = re.findall(r"(?:^|[\s,])(--?[\w-]+)", head)
    return Option(names, head.rpartition(names[-1])[2].strip() if names else head, text)


def parsed(name, said):
    """The command that says this under --help."""
    command = Command(name)
    main, rest = said, ""
    if begins := AS_IT_STANDS.search(said):
        main, rest = said[: begins.start()], said[begins.start() :]
    command.rest = rest.rstrip()
    for block in re.split(r"\n(?=\S)", main):
        heading, *lines = block.split("\n")
        if heading.lower().startswith("usage:"):
            command.usage = " ".join(" ".join([heading[6:], *lines]).split())
        elif heading.lower().rstrip(":") in ("options", "positionals", "positional arguments"):
            found = [option_of(*entry) for entry in entries(lines)]
            command.options += [one for one in found if one.names]
            command.arguments += [one for one in found if not one.names]
        elif heading and heading != "Subcommands:" and not command.summary:
            command.summary = heading.strip().removesuffix(".")
    return command


def roff(text):
    """Text that groff takes as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def listed(options):
    """Options with what they do, as a list of a page."""
    lines = []
    for one in options:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in one.names)
        behind = f"\\fI{roff(one.kind)}\\fR" if one.kind else ""
        lines += [".TP", " ".join(filter(None, [names, behind])), roff(one.text + one.default)]
    return lines


def page(command, version, others):
    """A page of the manual."""
    title = f"sonde-{command.name}" if command.name else "sonde"
    summary = command.summary.removeprefix("Sonde ")
    summary = summary[:1].lower() + summary[1:]
    lines = [f'.TH {title.upper()} 1 "" "sonde {version}" "User Commands"', ".SH NAME"]
    lines += [f"{roff(title)} \\- {roff(summary)}", ".SH SYNOPSIS", roff(command.usage)]
    if not command.name:
        lines.append(".SH COMMANDS")
        for other in others:
            lines += [".TP", f"\\fBsonde\\-{other.name}\\fR(1)", roff(other.summary)]
    if command.arguments:
        lines += [".SH ARGUMENTS", *listed(command.arguments)]
    lines += [".SH OPTIONS", *listed(command.options)]
    if command.rest:
        heading, _, body = command.rest.partition("\n")
        lines += [f".SH {roff(heading.rstrip(':').upper())}", ".nf", roff(body), ".fi"]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(name)}\\fR(1)" for name in see_also(command, others))]
    return "\n".join(lines) + "\n"


def see_also(command, others):
    """The names of the other pages."""
    names = ["sonde", *(f"sonde-{other.name}" for other in others)]
    return [name for name in names if name != (f"sonde-{command.name}" if command.name else "sonde")]


def bash(main, commands):
    """A completion for bash that needs nothing else; where it has no words, bash offers files."""
    cases, words = [], []
    for command in commands:
        for one in command.options:
            if one.argument:
                pattern = "|".join(f"{command.name},{name}" for name in one.names)
                files = "" if one.takes_a_file else "compopt +o default; "
                offered = f'_sonde_words "{" ".join(one.choices)}"; ' if one.choices else ""
                cases.append(f"    {pattern}) {files}{offered}return ;;")
        names = " ".join(name for one in command.options for name in one.names)
        words.append(f'    {command.name}) [[ $current != -* ]] || _sonde_words "{names}" ;;')
    first = " ".join([*(command.name for command in commands), *(name for one in main.options for name in one.names)])
    return "\n".join([
        "# What sonde's commands say under --help, for bash; made by tools/manual.py.",
        '_sonde_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }',
        "_sonde() {",
        "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]-} word",
        "  COMPREPLY=()",
        f'  ((COMP_CWORD > 1)) || {{ _sonde_words "{first}"; return; }}',
        "  # What stands behind -- is another program's.",
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '    [[ $word != -- ]] || { [[ $before != -- ]] || mapfile -t COMPREPLY < <(compgen -c -- "$current"); return; }',
        "  done",
        "  case $command,$before in",
        *cases,
        "  esac",
        "  case $command in",
        *words,
        "  esac",
        "}",
        "complete -o default -F _sonde sonde",
        "",
    ])  # fmt: skip


def zsh_text(text):
    """Text within a specification of _arguments, in single quotes."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_option(one):
    """An option as _arguments takes it."""
    behind = ""
    if one.argument:
        action = f"({' '.join(one.choices)})" if one.choices else "_files" if one.takes_a_file else " "
        behind = f":{zsh_text(one.kind)}:{action}"
    repeated = "*" if "repeatable" in one.text else f"({' '.join(one.names)})" if len(one.names) > 1 else ""
    return [f"'{repeated}{name}[{zsh_text(one.text)}]{behind}'" for name in one.names]


def zsh(main, commands):
    """A completion for zsh."""
    lines = [
        "#compdef sonde",
        "# What sonde's commands say under --help; made by tools/manual.py.",
        "local -a commands",
        "commands=(",
    ]
    lines += [f"  '{command.name}:{zsh_text(command.summary)}'" for command in commands]
    lines += [")", "if (( CURRENT == 2 )); then", "  _describe -t commands command commands"]
    lines += [f"  _arguments {' '.join(word for one in main.options for word in zsh_option(one))}", "  return", "fi"]
    lines += ["local command=$words[2]", "shift words", "(( CURRENT-- ))", "case $command in"]
    for command in commands:
        options = [word for one in command.options for word in zsh_option(one)]
        rest = "'*::program:_normal'" if "COMMAND" in command.usage else "'*:file:_files'"
        lines.append(f"  {command.name}) _arguments " + " \\\n    ".join([*options, rest]) + " ;;")
    return "\n".join([*lines, "esac", ""])


def main():
    """Writes everything, or ends with what a command said."""
    if len(sys.argv) < 4:
        sys.exit("tools/manual.py: give it a folder to write to, the version, and how sonde is started")
    output, version, program = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]

    def ask(name):
        words = [*program, *filter(None, [name]), "--help"]
        environment = {**os.environ, "COLUMNS": "100"}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"tools/manual.py: {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}")
        return parsed(name, done.stdout)

    sonde = ask("")
    commands = [ask(name) for name in OWN + DRAWN_BY_PYTHON]
    (output / "man1").mkdir(parents=True, exist_ok=True)
    for command in [sonde, *commands]:
        file = output / "man1" / f"{'sonde-' + command.name if command.name else 'sonde'}.1.gz"
        file.write_bytes(gzip.compress(page(command, version, commands).encode(), mtime=0))
    (output / "sonde.bash").write_text(bash(sonde, commands))
    (output / "_sonde").write_text(zsh(sonde, commands))


if __name__ == "__main__":
    main()
