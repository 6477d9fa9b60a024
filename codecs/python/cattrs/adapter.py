"""cattrs: conversions that it generates for dataclasses, unions as it tags them, and JSON by orjson."""

from typing import Any

from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf.orjson import OrjsonConverter, make_converter
from cattrs.strategies import configure_tagged_union
from cell import glue
from cell.domain import Root


def _converter() -> OrjsonConverter:
    converter = make_converter()
    converter.register_structure_hook_factory(glue.NAMES.__contains__, _structure_by_names)
    converter.register_unstructure_hook_factory(glue.NAMES.__contains__, _unstructure_by_names)
    for union in glue.UNIONS:
        _configure_lazily(union, converter)
    for union in glue.UNIONS:
        configure_tagged_union(union, converter)
    return converter


def _structure_by_names(dataclass: Any, converter: OrjsonConverter) -> Any:
    return make_dict_structure_fn(dataclass, converter, **_renamed(dataclass))


def _unstructure_by_names(dataclass: Any, converter: OrjsonConverter) -> Any:
    return make_dict_unstructure_fn(dataclass, converter, **_renamed(dataclass))


def _renamed(dataclass: Any) -> dict[str, Any]:
    return {field: override(rename=name) for field, name in glue.NAMES[dataclass].items()}


def _configure_lazily(union: Any, converter: OrjsonConverter) -> None:
    """Register hooks for a union and for an optional of it, which is another union to cattrs. The hooks look
    conversions up when called, since a union's classes may lead to one that is configured later."""

    def structure(value: Any, _: Any) -> Any:
        return None if value is None else converter.structure(value, union)

    def unstructure(value: Any) -> Any:
        return None if value is None else converter.unstructure(value, union)

    for each in (union, union | None):
        converter.register_structure_hook(each, structure)
        converter.register_unstructure_hook(each, unstructure)


CONVERTER = _converter()
"""The converter that all messages share: it generates its functions when it first meets a class."""


class Json:
    class Encoder:
        def encode(self, message: Any) -> bytes:
            return CONVERTER.dumps(message)

    class Decoder:
        def decode(self, data: bytes) -> Any:
            return CONVERTER.loads(data, Root)
