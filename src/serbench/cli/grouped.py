"""Turns dataclasses into options of commands, and their values into words of the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter, signature
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Turns a command whose parameters may be dataclasses into one with a parameter for each of their fields,
    as typer wants it. Options come in the order of the parameters and of the fields."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}

    def ungrouped(**values: Any) -> None:
        made = {
            name: group(**{each.name: values.pop(each.name) for each in fields(group)})
            for name, group in groups.items()
        }
        command(**made, **values)

    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        if group := groups.get(parameter.name):
            parameters += _options_of(group)
        else:
            parameters.append(
                parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
            )
    ungrouped.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]  # inspect reads it
    ungrouped.__doc__, ungrouped.__name__ = command.__doc__, command.__name__
    return ungrouped


def words_of(group: Any, *left_out: str) -> list[str]:
    """The options of the command line that give a dataclass its values; none for a default value.

    Args:
        left_out: the fields whose options are not wanted.
    """
    hints = get_type_hints(type(group), include_extras=True)
    words: list[str] = []
    for each in fields(group):
        value = getattr(group, each.name)
        if each.name in left_out or not value or value == each.default:
            continue
        (option,) = hints[each.name].__metadata__
        # typer takes the first of the flags for a default, until it makes a command of them
        flags = [flag for flag in (option.default, *(option.param_decls or ())) if isinstance(flag, str)]
        flag = next(iter(flags), f"--{each.name.replace('_', '-')}")
        for one in value if isinstance(value, list) else [value]:
            words += [flag] if one is True else [flag, str(one)]
    return words


def _options_of(group: type) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            each.name,
            Parameter.KEYWORD_ONLY,
            annotation=hints[each.name],
            default=Parameter.empty if each.default is MISSING else each.default,
        )
        for each in fields(group)
    ]
