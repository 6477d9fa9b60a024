"""All documents with rules for schemas that change, by the short names of their formats."""

from __future__ import annotations

from tests.promised_avro_thrift import AVRO, THRIFT
from tests.promised_in_place import CAPNP, FBS
from tests.promised_protobuf import PROTOBUF
from tests.promises import Document

DOCUMENTS: dict[str, Document] = {each.format: each for each in (PROTOBUF, AVRO, THRIFT, CAPNP, FBS)}
