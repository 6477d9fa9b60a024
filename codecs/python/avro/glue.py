"""Generates conversions between dataclasses and the dicts that Avro's own library writes and reads."""

from serbench.languages.python.avro_glue import AvroLibrary, schema_text

emit = AvroLibrary("avro", ["import avro.schema"], "avro.schema.parse(_AVSC)", tells_branches=False).source
writer_schema = schema_text
