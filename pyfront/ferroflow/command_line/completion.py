"""`ferroflow completion`: a script by which a shell completes the command's words."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

NAME = "completion"
HELP = "print a completion script for bash, zsh or fish"
EXIT_STATUS = "0"

_BASH = """\
_ferroflow() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands}"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
        case "$word" in -*) ;; *) words="" ;; esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _ferroflow ferroflow
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "shell",
        choices=("bash", "zsh", "fish"),
        help="bash, zsh: `source <(ferroflow completion bash)`; fish: `ferroflow completion fish | source`",
    )


def _options(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Returns the options of each command, by its name."""
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return {
        name: [word for action in command._actions for word in action.option_strings]
        for name, command in commands.choices.items()
    }


def _fish(options: dict[str, list[str]]) -> Iterator[str]:
    yield f"complete -c ferroflow -n __fish_use_subcommand -f -a '{' '.join(options)}'"
    for name, words in options.items():
        for word in words:
            kind = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
            yield f"complete -c ferroflow -n '__fish_seen_subcommand_from {name}' {kind}"


def run(args: argparse.Namespace) -> int:
    """Prints the script.

    Args:
        args: the command's arguments, and `parser`, the parser of all commands.

    Returns:
        int, 0.
    """
    options = _options(args.parser)
    if args.shell == "fish":
        print("\n".join(_fish(options)))
        return 0
    cases = "\n".join(f'            {name}) words="{" ".join(words)}" ;;' for name, words in options.items())
    script = _BASH.format(commands=" ".join(options), cases=cases)
    # zsh runs bash's scripts of this kind by itself.
    print("autoload -U +X bashcompinit && bashcompinit" if args.shell == "zsh" else "", end="\n")
    print(script, end="")
    return 0
