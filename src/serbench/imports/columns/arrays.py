"""Makes functions that turn Arrow's arrays into lists of values of the type model. Functions that do not
handle nulls are only given arrays without any."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise
from typing import Any, Concatenate, ParamSpec

from serbench.imports.json.keys import UUID
from serbench.imports.json.values import Unfit
from serbench.model.types import FixedBytes, Scalar

Convert = Callable[[Any], list[Any]]

Given = ParamSpec("Given")

_MS_OF_A_DAY = 86_400_000

_UUID = re.compile(UUID)


def _made(convert: Callable[Concatenate[Any, Given], list[Any]]) -> Callable[Given, Convert]:
    """Decorator: ``f(array, *given)`` becomes ``f(*given)``, which returns a function of the array alone."""

    @wraps(convert)
    def make(*given: Given.args, **named: Given.kwargs) -> Convert:
        return lambda array: convert(array, *given, **named)

    return make


def plain(array: Any) -> list[Any]:
    """The values as pyarrow gives them, nulls too."""
    return array.to_pylist()  # type: ignore[no-any-return]


def optional(convert: Convert) -> Convert:
    """Converts nulls to None, and other values by ``convert``, which does not see nulls, since anything may
    be stored in their place."""
    return plain if convert is plain else _optional(convert)


@_made
def _optional(array: Any, convert: Convert) -> list[Any]:
    if not array.null_count:
        return convert(array)
    valid = array.is_valid().to_pylist()
    found = iter(_of_rows(convert, array, [row for row, there in enumerate(valid) if there]))
    return [next(found) if there else None for there in valid]


def _of_rows(convert: Convert, array: Any, rows: Sequence[int]) -> list[Any]:
    """The values of some rows. pyarrow takes them out of the array at once, except for some newer types."""
    from pyarrow import array as array_of
    from pyarrow import int64

    try:
        some = array.take(array_of(rows, int64()))
    except NotImplementedError:
        return [value for row in rows for value in convert(array.slice(row, 1))]
    return convert(some)


@_made
def required(array: Any, convert: Convert, path: str, expected: str, remedy: str = "") -> list[Any]:
    """Converts by ``convert``, and raises Unfit if a value is null."""
    if array.null_count:
        raise Unfit("null", expected, path, remedy)
    return convert(array)


def viewed(as_type: Any) -> Convert:
    """Converts times to the numbers as which they are stored."""
    return lambda array: array.view(as_type).to_pylist()


def stored(convert: Convert) -> Convert:
    """Converts values of an extension type by what they are stored as."""
    return lambda array: convert(array.storage)


@_made
def runs(array: Any, convert: Convert) -> list[Any]:
    """Converts values that are stored with the number of their repetitions."""
    from pyarrow.compute import run_end_decode

    return convert(run_end_decode(array))


@_made
def days(array: Any, as_type: Any, path: str) -> list[Any]:
    """Converts dates that are stored as milliseconds to days; raises Unfit if one has a time of day."""
    found = array.view(as_type).to_pylist()
    if any(each % _MS_OF_A_DAY for each in found):
        raise Unfit("a date64 with a time of day", "milliseconds of whole days", path)
    return [each // _MS_OF_A_DAY for each in found]


@_made
def decimals(array: Any, base: Scalar | FixedBytes, precision: int, width: int, path: str) -> list[Any]:
    """Converts decimals, which Arrow stores as little-endian integers of ``width`` bytes, to numbers or
    bytes; raises Unfit if one has too many digits."""
    data = memoryview(array.buffers()[1])[array.offset * width : (array.offset + len(array)) * width]
    found = [
        int.from_bytes(data[at : at + width], "little", signed=True) for at in range(0, len(data), width)
    ]
    if any(abs(each) >= 10**precision for each in found):
        raise Unfit("a decimal of more digits", f"{precision} digits at most", path)
    if isinstance(base, FixedBytes):
        return [each.to_bytes(base.length, "big", signed=True) for each in found]
    return found


@_made
def texts(array: Any, path: str) -> list[Any]:
    """Converts bytes that the file says to be text; raises Unfit if they are not UTF-8."""
    try:
        return [each.decode() for each in array.to_pylist()]
    except UnicodeDecodeError:
        raise Unfit("bytes that are not valid UTF-8", "text", path) from None


@_made
def uuids(array: Any, path: str, convert: Convert) -> list[Any]:
    """Converts texts by ``convert``; raises Unfit if one is no UUID."""
    made = convert(array)
    for each in made:
        if each is not None and not _UUID.fullmatch(each):
            raise Unfit(f"a text of {len(each)} characters", "a UUID in lower-case letters", path)
    return made


@_made
def members(array: Any, numbers: dict[str, int], path: str, convert: Convert) -> list[Any]:
    """Converts texts to the numbers of an enum's members; raises Unfit for any other text."""
    try:
        return [None if each is None else numbers[each] for each in convert(array)]
    except KeyError as error:
        found = f"a text of {len(error.args[0])} characters"
        raise Unfit(found, f"one of {len(numbers)} members", path) from None


@_made
def noted(array: Any, found: dict[str, None], most: int, convert: Convert) -> list[Any]:
    """Converts by ``convert``, and adds the texts that occur to ``found``, until there are more than
    ``most``."""
    made = convert(array)
    if len(found) <= most:
        found.update(dict.fromkeys(each for each in made if each is not None))
    return made


def dictionary(convert: Convert, path: str, nullable: bool) -> Convert:
    """Converts values that are stored as indices into a dictionary, which several arrays may share; an entry
    of the dictionary may be null too."""
    kept: list[Any] = [None, None, []]

    def run(array: Any) -> list[Any]:
        of = array.dictionary
        key = (len(of), of.offset, [buffer and buffer.address for buffer in of.buffers()])
        if key != kept[0]:
            kept[:] = [key, of, convert(of)]  # the array is kept, so that no other has its address
        entries = kept[2]
        _check_indices(array.indices, len(entries), path)
        found = [None if at is None else entries[at] for at in array.indices.to_pylist()]
        if not nullable and None in found:
            raise Unfit("null", "a value, since none of these is said to be null", path)
        return found

    return run


def _check_indices(indices: Any, entries: int, path: str) -> None:
    """pyarrow does not look whether the indices of a file are those of its dictionary."""
    from pyarrow.compute import min_max

    least, most = min_max(indices).as_py().values()
    if least is not None and not 0 <= least <= most < entries:
        wrong = least if least < 0 else most
        raise Unfit(f"the index {wrong} into a dictionary of {entries}", "that of an entry", path)


def _cut(spans: Sequence[tuple[int, int]], items: Callable[[int, int], list[Any]]) -> list[list[Any]]:
    """The items in each span; ``items`` converts so many of them from an index on, and is asked for those
    that the spans lie in."""
    first = min((begin for begin, end in spans if begin < end), default=0)
    beyond = max((end for begin, end in spans if begin < end), default=0)
    found = items(first, beyond - first) if beyond else []
    return [found[begin - first : end - first] if begin < end else [] for begin, end in spans]


def _items_of(array: Any, convert: Convert) -> Callable[[int, int], list[Any]]:
    return lambda first, count: convert(array.slice(first, count))


def _spans(array: Any) -> list[tuple[int, int]]:
    """The begin and the end of each list or map in the array of all items."""
    return list(pairwise(array.offsets.to_pylist())) if len(array) else []


def lists(convert: Convert) -> Convert:
    return lambda array: _cut(_spans(array), _items_of(array.values, convert))


@_made
def list_views(array: Any, convert: Convert) -> list[Any]:
    """Converts lists that may lie anywhere in the array of items, and may share items."""
    starts = zip(array.offsets.to_pylist(), array.sizes.to_pylist(), strict=True)
    return _cut([(at, at + size) for at, size in starts], _items_of(array.values, convert))


@_made
def fixed_lists(array: Any, convert: Convert, size: int) -> list[Any]:
    rows = range(array.offset, array.offset + len(array))
    return _cut([(row * size, (row + 1) * size) for row in rows], _items_of(array.values, convert))


@_made
def maps(array: Any, convert_key: Convert, convert: Convert, path: str) -> list[Any]:
    found = pairs(convert_key, convert)(array)
    made = [dict(each) for each in found]
    if sum(map(len, made)) < sum(map(len, found)):
        raise Unfit("a duplicate key in a map", "distinct keys", path)
    return made


@_made
def pairs(array: Any, convert_key: Convert, convert: Convert) -> list[Any]:
    """Converts maps to lists of (key, value)."""
    keys, values = _items_of(array.keys, convert_key), _items_of(array.items, convert)

    def entries(first: int, count: int) -> list[Any]:
        return list(zip(keys(first, count), values(first, count), strict=True))

    return _cut(_spans(array), entries)


@_made
def records(array: Any, converts: Sequence[Convert]) -> list[Any]:
    if not converts:
        return [()] * len(array)
    return list(zip(*(convert(array.field(n)) for n, convert in enumerate(converts)), strict=True))


@_made
def unions(array: Any, converts: Sequence[Convert], codes: Sequence[int], dense: bool) -> list[Any]:
    """Converts a union's values by their alternatives, which have a code each. Values of alternatives that
    were not chosen are not looked at."""
    # pyarrow's own `type_codes` and `offsets` are those of the whole array, even if this is a slice of it.
    _, of_codes, *of_offsets = array.buffers()
    rows_here = slice(array.offset, array.offset + len(array))
    chosen = memoryview(of_codes).cast("b")[rows_here].tolist() if len(array) else []
    is_dense = dense and chosen
    at = memoryview(of_offsets[0]).cast("i")[rows_here].tolist() if is_dense else range(len(chosen))
    made: list[Any] = [None] * len(chosen)
    for index, (code, convert) in enumerate(zip(codes, converts, strict=True)):
        rows = [row for row, each in enumerate(chosen) if each == code]
        values = _of_rows(convert, array.field(index), [at[row] for row in rows])
        for row, value in zip(rows, values, strict=True):
            made[row] = (index, value)
    return made
