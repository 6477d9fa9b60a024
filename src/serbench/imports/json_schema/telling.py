"""Words for the user about a schema: its types as the schema calls them, and what the type model loses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from serbench.imports.base import Loss, setting
from serbench.imports.json.paths import WHOLE
from serbench.imports.json_schema.combining import ANNOTATIONS, MOST_PRODUCTS, Combining
from serbench.imports.json_schema.documents import SubSchema
from serbench.imports.json_schema.kinds import Numbers, Strings
from serbench.imports.json_schema.shapes import ValueShape
from serbench.imports.names import listed
from serbench.text import safe, shortened

_CONDITIONS = (
    "if", "not", "dependencies", "dependentRequired", "dependentSchemas", "contains", "pattern", "minLength",
    "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames",
    "multipleOf",
)  # fmt: skip

_LONGEST_TOLD = 200

_FORMATS = {"date-time": "timestamp in ms", "date": "date", "uuid": "uuid"}
"""Format of strings → the type that the user can set for them instead."""

ANY = (
    "any value: a union of all kinds, in which whole numbers have 64 bits; JSON codecs wrap each "
    "value in an object with the alternative's name, so their JSON differs and is longer"
)
UNSAID = "the schema does not describe it"
NULL_TOO = "may be missing, and may be null: both become absent"


def theirs(shape: ValueShape) -> str:
    """Returns the kinds of values of a shape, in the schema's words."""
    if shape.anything:
        return "any value"
    told = {
        "integer": _range(shape.numbers),
        "string": _strings(shape.strings),
        "array": "array by position" if shape.positions else "array",
    }
    kinds = [told.get(kind, kind) for kind in shape.kinds] + ["null"] * shape.null
    return " or ".join(kinds) or "nothing"


def _range(numbers: Numbers | None) -> str:
    if numbers is None or (numbers.low is None and numbers.high is None):
        return "integer"
    if numbers.low == numbers.high and numbers.low is not None:
        return f"integer {_digits(numbers.low)}"
    both = (("from", numbers.low), ("to", numbers.high))
    return " ".join(["integer", *(f"{word} {_digits(bound)}" for word, bound in both if bound is not None)])


def _digits(number: int) -> str:
    return str(number) if number.bit_length() <= 64 else f"a number of {number.bit_length()} bits"


def _strings(strings: Strings | None) -> str:
    if strings and strings.members is not None:
        some = ", ".join(shortened(each, 60) for each in strings.members[:20])
        more = ", …" if len(strings.members) > 20 else ""
        return shortened(safe(f"one of {some}{more}", lines=False), _LONGEST_TOLD)
    format = shortened(safe(strings.format, lines=False), 40) if strings else ""
    return f"string ({format})" if format else "string"


def why(shape: ValueShape, path: str) -> str:
    """Tells the user why values have their type if the schema leaves it open, or how to set another type;
    else empty."""
    if shape.anything:
        return UNSAID
    if not shape.kinds:
        return "all values are null" if shape.null else "there are no values"
    if shape.implied:
        return f"no type is given; inferred from keywords of {' and '.join(shape.kinds)}"
    strings = shape.strings
    if shape.kinds == ("string",) and strings and strings.members is None and strings.format in _FORMATS:
        made = {"uuid": "checks them"}.get(strings.format, "makes numbers of them")
        return f"the format is {strings.format}; {setting(path, _FORMATS[strings.format])} {made}"
    return ""


def of_lists(count: int) -> str:
    return f"{count} alternatives that are arrays become one, whose items may have any of their types"


def of_objects(count: int, mixed: bool) -> str:
    if mixed:
        return f"{count} alternatives that are objects become one map, though members of some have names"
    return (
        f"{count} alternatives that are objects become one record with the members of all; "
        "those that may be missing are optional"
    )


def of_rest(named: int, path: str) -> str:
    return (
        f"members that additionalProperties or patternProperties allow beside the {named} that have "
        f"names: data that have one are refused; {setting(path, 'map<string, *>')} makes a map of all"
    )


def of_fields(missing: int, open: int) -> Iterator[Loss]:
    """Returns the losses of as many fields as ``missing`` that may be missing, and of as many records as
    ``open`` that may have members without a name in the schema."""
    if missing:
        what = f"{missing} fields may be missing: JSON codecs write null there, so their JSON is longer"
        yield Loss(WHOLE, what)
    if open:
        what = (
            f"members that the schema does not name, which its objects may have ({open} records): "
            "data that have one are refused"
        )
        yield Loss(WHOLE, what)


def of_whole(combining: Combining) -> Iterator[Loss]:
    """Returns the losses that belong to the schema as a whole, or to a place in it, and to no path of the
    data."""
    documents = combining.documents
    found = Counter(word for part in documents.parts for word in _CONDITIONS if word in part.keywords)
    if found:
        told = ", ".join(f"{word} ({count})" for word, count in found.items())
        yield Loss(WHOLE, f"conditions other than types, which are not checked: {told}")
    for part in combining.taken_together:
        what = (
            f"more than {MOST_PRODUCTS} combinations of alternatives: treated as one type with the "
            "members of all"
        )
        yield Loss(safe(part.place, lines=False), what)
    for part in documents.parts:
        for word in ("$dynamicRef", "$recursiveRef"):
            if word in part.keywords:
                what = f"that {word} may be redirected by other schemas: it is treated as $ref"
                yield Loss(safe(part.place, lines=False), what)
    if passed := [part for part in documents.parts if isinstance(part.schema, dict) and _meant(part)]:
        where = listed([safe(part.place, lines=False) for part in passed], 3)
        yield Loss(WHOLE, f"keywords beside a $ref, which are ignored up to draft 7: at {where}")
    for document in documents.documents:
        for keys in document.repeated:
            path = shortened(safe("/".join(("#", *keys)), lines=False), 500)
            what = "duplicate keys in an object of the schema: the last counts, as in most JSON readers"
            yield Loss(path, what)


def _meant(part: SubSchema) -> bool:
    """Whether a schema's reference hides other keywords beside it that would say something about the type."""
    return bool(part.schema.keys() - part.keywords.keys() - ANNOTATIONS)
