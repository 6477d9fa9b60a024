"""Functions that turn an array of Arrow into a list of values of the type model, one function for each type.

Only ``plain``, ``optional`` and ``required`` are given arrays with nulls; the others get arrays without."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import islice, pairwise
from typing import Any, Concatenate, ParamSpec

from serbench.imports.json.keys import UUID
from serbench.imports.json.values import Unfit
from serbench.model.types import FixedBytes, Scalar

Convert = Callable[[Any], list[Any]]

Given = ParamSpec("Given")

_MS_OF_A_DAY = 86_400_000

_UUID = re.compile(UUID)


def _made(convert: Callable[Concatenate[Any, Given], list[Any]]) -> Callable[Given, Convert]:
    """Turns ``f(array, *given)`` into ``f(*given)``, which returns a function of the array (a decorator)."""

    @wraps(convert)
    def make(*given: Given.args, **named: Given.kwargs) -> Convert:
        return lambda array: convert(array, *given, **named)

    return make


def plain(array: Any) -> list[Any]:
    """Returns the values as pyarrow gives them, with None for null."""
    return array.to_pylist()  # type: ignore[no-any-return]


def optional(convert: Convert) -> Convert:
    """Returns a function that makes None of nulls, and values of the rest by ``convert``, which is not given
    the nulls: anything may be stored in their place."""
    return plain if convert is plain else _optional(convert)


@_made
def _optional(array: Any, convert: Convert) -> list[Any]:
    if not array.null_count:
        return convert(array)
    valid = array.is_valid().to_pylist()
    found = iter(_of_rows(convert, array, [row for row, there in enumerate(valid) if there]))
    return [next(found) if there else None for there in valid]


def _of_rows(convert: Convert, array: Any, rows: Sequence[int]) -> list[Any]:
    """Returns the values of some rows, taken one by one if pyarrow cannot take several of a newer type."""
    from pyarrow import array as array_of
    from pyarrow import int64

    try:
        some = array.take(array_of(rows, int64()))
    except NotImplementedError:
        return [value for row in rows for value in convert(array.slice(row, 1))]
    return convert(some)


@_made
def required(array: Any, convert: Convert, path: str, expected: str, remedy: str = "") -> list[Any]:
    """Makes values by ``convert``; raises Unfit, of ``path``, ``expected`` and ``remedy``, if one is null."""
    if array.null_count:
        raise Unfit("null", expected, path, remedy)
    return convert(array)


def viewed(as_type: Any) -> Convert:
    """Returns a function that makes integers of an array of times: the stored ones, of type ``as_type``."""
    return lambda array: array.view(as_type).to_pylist()


def stored(convert: Convert) -> Convert:
    """Returns a function that applies ``convert`` to the plain array inside an array of an extension type."""
    return lambda array: convert(array.storage)


@_made
def runs(array: Any, convert: Convert) -> list[Any]:
    """Makes values of a run-end encoded array, which stores equal values in a row once."""
    from pyarrow.compute import run_end_decode

    return convert(run_end_decode(array))


@_made
def days(array: Any, as_type: Any, path: str) -> list[Any]:
    """Makes days of dates, which are stored as milliseconds (``as_type``); raises Unfit for part of a day."""
    found = array.view(as_type).to_pylist()
    if any(each % _MS_OF_A_DAY for each in found):
        raise Unfit("a date64 with a time of day", "milliseconds of whole days", path)
    return [each // _MS_OF_A_DAY for each in found]


@_made
def decimals(array: Any, base: Scalar | FixedBytes, precision: int, width: int, path: str) -> list[Any]:
    """Makes integers or big-endian bytes of decimals, which Arrow stores as little-endian integers of
    ``width`` bytes; raises Unfit if one has more than ``precision`` digits."""
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
    """Makes strings of bytes that the file says to be text; raises Unfit if they are not UTF-8."""
    try:
        return [each.decode() for each in array.to_pylist()]
    except UnicodeDecodeError:
        raise Unfit("bytes that are not valid UTF-8", "text", path) from None


@_made
def uuids(array: Any, path: str, convert: Convert) -> list[Any]:
    """Makes strings by ``convert``; raises Unfit if one is no UUID."""
    made = convert(array)
    for each in made:
        if each is not None and not _UUID.fullmatch(each):
            raise Unfit(f"a text of {len(each)} characters", "a UUID in lower-case letters", path)
    return made


@_made
def members(array: Any, numbers: dict[str, int], path: str, convert: Convert) -> list[Any]:
    """Makes the numbers of an enum's members from their names; raises Unfit for any other text."""
    try:
        return [None if each is None else numbers[each] for each in convert(array)]
    except KeyError as error:
        found = f"a text of {len(error.args[0])} characters"
        raise Unfit(found, f"one of {len(numbers)} members", path) from None


@_made
def noted(array: Any, found: dict[str, None], most: int, convert: Convert) -> list[Any]:
    """Makes strings by ``convert``, and adds each different string to ``found``, until it has more than
    ``most``."""
    made = convert(array)
    if len(found) <= most:
        found.update(dict.fromkeys(each for each in made if each is not None))
    return made


def dictionary(convert: Convert, path: str, nullable: bool) -> Convert:
    """Returns a function that makes values of indices into a dictionary, which it converts once if the next
    arrays have the same one. An index may be null, and so may the entry that it leads to."""
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
    """Raises Unfit if an index does not lead to an entry of the dictionary, which pyarrow does not check."""
    from pyarrow.compute import min_max

    least, most = min_max(indices).as_py().values()
    if least is not None and not 0 <= least <= most < entries:
        wrong = least if least < 0 else most
        raise Unfit(f"the index {wrong} into a dictionary of {entries}", "that of an entry", path)


@_made
def lists(array: Any, convert: Convert) -> list[Any]:
    """Makes lists of an array of any of Arrow's list types: with any length, a fixed one, or shared items."""
    from pyarrow.compute import list_value_length

    items = iter(convert(array.flatten()))
    return [list(islice(items, length)) for length in list_value_length(array).to_pylist()]


@_made
def maps(array: Any, convert_key: Convert, convert: Convert, path: str) -> list[Any]:
    found = pairs(convert_key, convert)(array)
    made = [dict(each) for each in found]
    if sum(map(len, made)) < sum(map(len, found)):
        raise Unfit("a duplicate key in a map", "distinct keys", path)
    return made


@_made
def pairs(array: Any, convert_key: Convert, convert: Convert) -> list[Any]:
    """Makes a list of (key, value) of each map."""
    offsets = array.offsets.to_pylist() if len(array) else [0]
    first, count = offsets[0], offsets[-1] - offsets[0]
    keys, values = convert_key(array.keys.slice(first, count)), convert(array.items.slice(first, count))
    entries = zip(keys, values, strict=True)
    return [list(islice(entries, beyond - begin)) for begin, beyond in pairwise(offsets)]


@_made
def records(array: Any, converts: Sequence[Convert]) -> list[Any]:
    if not converts:
        return [()] * len(array)
    return list(zip(*(convert(array.field(n)) for n, convert in enumerate(converts)), strict=True))


@_made
def unions(array: Any, converts: Sequence[Convert], codes: Sequence[int], dense: bool) -> list[Any]:
    """Makes (index of the alternative, value) of a union's values.

    Args:
        converts, codes: for each alternative, the function that makes its values, and its code in the array.
        dense: whether the union's alternatives hold only the values of rows that chose them.
    """
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
