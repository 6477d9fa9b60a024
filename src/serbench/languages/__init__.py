"""The languages: each folder here with a ``language.py``, which the rest knows by the folder's name alone."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Mapping
from functools import cache

from serbench.codecs.edition import Profile
from serbench.errors import SelectionError
from serbench.languages.language import CompilerOption, Language, Settings


@cache
def languages() -> Mapping[str, Language]:
    """Every language by the name of its folder."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name: importlib.import_module(f"{__name__}.{name}.language").LANGUAGE for name in names}


def title_of(language: str) -> str:
    """A language's name for people, such as ``C++`` for the folder ``cpp``; the folder's name for a language
    that only a run from elsewhere has."""
    return languages()[language].traits.title if language in languages() else language


def compiler_options() -> list[CompilerOption]:
    """The options by which a user names compilers, for the languages that have several; languages may share
    an option."""
    found = {option.flag: option for language in languages().values() if (option := language.compiler_option)}
    return list(found.values())


def contending_options() -> str:
    """The options by which a run measures two editions or compilers beside each other, in words."""
    return " or ".join(
        ("--revision, --prefix, --profile, --version", *(option.flag for option in compiler_options()))
    )


def chosen_settings() -> Mapping[str, Settings]:
    """Language → its settings for ``--profile``; without the languages that have none."""
    return {name: found for name, language in languages().items() if (found := language.settings)}


def choices_of(key: str) -> list[str]:
    """The values of a setting, by its name, that some language knows."""
    own = (value for of in chosen_settings().values() for value in of.choices.get(key, ()))
    return list(dict.fromkeys(own))


EVERY = "*"
"""The word in the place of a profile's language for every selected one that knows its setting."""


def profiles_of(text: str, selected: Collection[str]) -> list[Profile]:
    """The profiles that ``--profile LANGUAGE:SETTINGS`` asks for, or that an option of a single setting does,
    as ``*:KEY=VALUE``: then those of each selected language that knows the setting, beside its usual one;
    raises SelectionError as ``profile_of``."""
    name, _, settings = text.partition(":")
    if name != EVERY:
        return [profile_of(text, selected)]
    key, _, value = settings.partition("=")
    knows = [(each, of) for each, of in chosen_settings().items() if key in of.choices]
    values = dict.fromkeys(each for _, of in knows for each in of.choices[key])
    is_usual = settings in {of.usual for _, of in knows}
    if not is_usual and value not in values:
        titles = " or ".join(title_of(each) for each, _ in knows)
        raise SelectionError(
            f"--{key} {value}: expected one of {', '.join(values)}, for programs in {titles}"
        )
    # A usual build that is no value of the key has the key's usual one.
    others = [each for each, of in knows if is_usual and not of.usual.startswith(f"{key}=")]
    has = [each for each, of in knows if settings == of.usual or value in of.choices[key] or each in others]
    asked = [each for each in has if each in selected]
    if not asked:
        titles = " or ".join(map(title_of, has))
        raise SelectionError(f"--{key} {value}: no codec of {titles} is selected; expected one after -c")
    usual = [Profile(each, "") for each in asked]
    if is_usual:
        return usual
    return [*usual, *(Profile(each, settings) for each in asked)]


def profile_of(text: str, selected: Collection[str]) -> Profile:
    """The profile that ``--profile LANGUAGE:SETTINGS`` asks for, where ``selected`` are the selected codecs'
    languages; raises SelectionError for a language that is not selected, and for settings that it has not."""
    name, colon, settings = text.partition(":")
    found = chosen_settings().get(name)
    if not colon or found is None:
        expected = " or ".join(f"{each}:{of.examples}" for each, of in chosen_settings().items())
        why = f": {title_of(name)} is built in one way alone" if colon and name in languages() else ""
        raise SelectionError(f"--profile {text}{why}; expected LANGUAGE:SETTINGS, such as {expected}")
    if name not in selected:
        raise SelectionError(
            f"--profile {text}: no codec of {title_of(name)} is selected; expected one after -c"
        )
    if settings == found.usual:
        return Profile(name, "")
    if problem := found.problem(settings):
        raise SelectionError(f"--profile {text}: {problem}")
    return Profile(name, settings)
