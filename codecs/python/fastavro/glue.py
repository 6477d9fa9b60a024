"""Generates conversions between dataclasses and the dicts that fastavro writes and reads."""

from serbench.languages.python.avro_glue import AvroLibrary, schema_text

emit = AvroLibrary(
    "fastavro", ["import fastavro"], "fastavro.parse_schema(json.loads(_AVSC))", tells_branches=True
).source
writer_schema = schema_text
