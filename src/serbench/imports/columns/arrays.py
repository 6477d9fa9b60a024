"""Arrow's arrays as lists of values of the type model. Those that know nothing of nulls are given arrays
without any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from serbench.model.types import FixedBytes, Scalar

Convert = Callable[[Any], list[Any]]

_MS_OF_A_DAY = 86_400_000


class Unfit(Exception):
    """A value is not of its type; none of it is told."""

    def __init__(self, path: str, found: str, expected: str, remedy: str = ""):
        super().__init__(path, found, expected, remedy)
        self.path, self.found, self.expected, self.remedy = path, found, expected, remedy


def plain(array: Any) -> list[Any]:
    """Values that are as pyarrow gives them, nulls too."""
    return array.to_pylist()  # type: ignore[no-any-return]


def optional(convert: Convert) -> Convert:
    """What is null is None; ``convert`` does not see it, since anything may stand there."""
    if convert is plain:
        return plain

    def run(array: Any) -> list[Any]:
        if not array.null_count:
            return convert(array)
        valid = array.is_valid().to_pylist()
        found = iter(_of_rows(convert, array, [row for row, there in enumerate(valid) if there]))
        return [next(found) if there else None for there in valid]

    return run


def _of_rows(convert: Convert, array: Any, rows: Sequence[int]) -> list[Any]:
    """Values of some rows; pyarrow takes them out together, but for what is of its newer types."""
    from pyarrow import array as array_of
    from pyarrow import int64

    try:
        some = array.take(array_of(rows, int64()))
    except NotImplementedError:
        return [value for row in rows for value in convert(array.slice(row, 1))]
    return convert(some)


def required(convert: Convert, path: str, expected: str, remedy: str = "") -> Convert:
    """Raises Unfit where something is null."""

    def run(array: Any) -> list[Any]:
        if array.null_count:
            raise Unfit(path, "null", expected, remedy)
        return convert(array)

    return run


def viewed(as_type: Any) -> Convert:
    """Times as the numbers that they are stored as."""
    return lambda array: array.view(as_type).to_pylist()


def stored(convert: Convert) -> Convert:
    """An extension's values as what they are stored as."""
    return lambda array: convert(array.storage)


def runs(convert: Convert) -> Convert:
    """Values that are stored with how often each is repeated."""

    def run(array: Any) -> list[Any]:
        from pyarrow.compute import run_end_decode

        return convert(run_end_decode(array))

    return run


def days(as_type: Any, path: str) -> Convert:
    """Dates that are stored as milliseconds."""

    def run(array: Any) -> list[Any]:
        found = array.view(as_type).to_pylist()
        if any(each % _MS_OF_A_DAY for each in found):
            raise Unfit(path, "a date64 with a time of day", "milliseconds of whole days")
        return [each // _MS_OF_A_DAY for each in found]

    return run


def decimals(base: Scalar | FixedBytes, precision: int, width: int, path: str) -> Convert:
    """Arrow's integers of ``width`` bytes, the last first, as numbers or bytes."""
    most = 10**precision

    def run(array: Any) -> list[Any]:
        data = memoryview(array.buffers()[1])[array.offset * width : (array.offset + len(array)) * width]
        found = [
            int.from_bytes(data[at : at + width], "little", signed=True) for at in range(0, len(data), width)
        ]
        if any(not -most < each < most for each in found):
            raise Unfit(path, "a decimal of more digits", f"{precision} digits at most")
        if isinstance(base, FixedBytes):
            return [each.to_bytes(base.length, "big", signed=True) for each in found]
        return found

    return run


def texts(path: str) -> Convert:
    """Bytes that are said to be text."""

    def run(array: Any) -> list[Any]:
        try:
            return [each.decode() for each in array.to_pylist()]
        except UnicodeDecodeError:
            raise Unfit(path, "bytes that are not valid UTF-8", "text") from None

    return run


def members(numbers: dict[str, int], path: str, convert: Convert) -> Convert:
    """Texts as members of an enum."""

    def run(array: Any) -> list[Any]:
        try:
            return [None if each is None else numbers[each] for each in convert(array)]
        except KeyError as error:
            raise Unfit(
                path, f"a text of {len(error.args[0])} characters", f"one of {len(numbers)} members"
            ) from None

    return run


def noted(found: dict[str, None], most: int, convert: Convert) -> Convert:
    """Notes which texts there are, up to one more than ``most``."""

    def run(array: Any) -> list[Any]:
        made = convert(array)
        if len(found) <= most:
            found.update(dict.fromkeys(each for each in made if each is not None))
        return made

    return run


def dictionary(convert: Convert, path: str, nullable: bool) -> Convert:
    """Values that are stored as the index of one of a few, which many arrays share; any of these may be null
    too."""
    kept: list[Any] = [None, None, []]

    def run(array: Any) -> list[Any]:
        of = array.dictionary
        key = (len(of), of.offset, [buffer and buffer.address for buffer in of.buffers()])
        if key != kept[0]:
            kept[:] = [key, of, convert(of)]  # the array is kept, so that no other has its address
        entries = kept[2]
        found = [None if at is None else entries[at] for at in array.indices.to_pylist()]
        if not nullable and None in found:
            raise Unfit(path, "null", "a value, since none of these is said to be null")
        return found

    return run


def lists(convert: Convert) -> Convert:
    def run(array: Any) -> list[Any]:
        if not len(array):
            return []
        offsets = array.offsets.to_pylist()
        first = offsets[0]
        items = convert(array.values.slice(first, offsets[-1] - first))
        return [items[begin - first : end - first] for begin, end in pairwise(offsets)]

    return run


def list_views(convert: Convert) -> Convert:
    """Lists that stand anywhere among their items, which several may share."""

    def run(array: Any) -> list[Any]:
        spans = [
            (at, at + size)
            for at, size in zip(array.offsets.to_pylist(), array.sizes.to_pylist(), strict=True)
        ]
        first = min((begin for begin, end in spans if begin < end), default=0)
        items = convert(array.values.slice(first, max((end for _, end in spans), default=0) - first))
        return [items[begin - first : end - first] if begin < end else [] for begin, end in spans]

    return run


def fixed_lists(convert: Convert, size: int) -> Convert:
    def run(array: Any) -> list[Any]:
        items = convert(array.values.slice(array.offset * size, len(array) * size))
        return (
            [items[begin : begin + size] for begin in range(0, len(items), size)]
            if size
            else [[] for _ in range(len(array))]
        )

    return run


def maps(convert_key: Convert, convert: Convert, path: str) -> Convert:
    entries = pairs(convert_key, convert)

    def run(array: Any) -> list[Any]:
        found = entries(array)
        made = [dict(each) for each in found]
        if sum(map(len, made)) < sum(map(len, found)):
            raise Unfit(path, "a duplicate key in a map", "distinct keys")
        return made

    return run


def pairs(convert_key: Convert, convert: Convert) -> Convert:
    """Maps as lists of keys with values."""

    def run(array: Any) -> list[Any]:
        if not len(array):
            return []
        offsets = array.offsets.to_pylist()
        first, count = offsets[0], offsets[-1] - offsets[0]
        entries = list(
            zip(
                convert_key(array.keys.slice(first, count)),
                convert(array.items.slice(first, count)),
                strict=True,
            )
        )
        return [entries[begin - first : end - first] for begin, end in pairwise(offsets)]

    return run


def records(converts: Sequence[Convert]) -> Convert:
    def run(array: Any) -> list[Any]:
        if not converts:
            return [()] * len(array)
        return list(zip(*(convert(array.field(n)) for n, convert in enumerate(converts)), strict=True))

    return run


def unions(converts: Sequence[Convert], codes: Sequence[int], dense: bool) -> Convert:
    """The alternatives of a union, by the codes that stand for them; of what is not chosen, nothing is looked
    at."""

    def run(array: Any) -> list[Any]:
        # pyarrow's own `type_codes` and `offsets` are those of the array that this one is a slice of.
        _, of_codes, *of_offsets = array.buffers()
        rows_here = slice(array.offset, array.offset + len(array))
        chosen = memoryview(of_codes).cast("b")[rows_here].tolist() if len(array) else []
        at = (
            memoryview(of_offsets[0]).cast("i")[rows_here].tolist()
            if dense and chosen
            else range(len(chosen))
        )
        made: list[Any] = [None] * len(chosen)
        for index, (code, convert) in enumerate(zip(codes, converts, strict=True)):
            rows = [row for row, each in enumerate(chosen) if each == code]
            values = _of_rows(convert, array.field(index), [at[row] for row in rows])
            for row, value in zip(rows, values, strict=True):
                made[row] = (index, value)
        return made

    return run
