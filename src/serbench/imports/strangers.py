"""Tells files that no format of data is, although people have them where data should be, by their first
bytes: what they are, and what to do."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from pathlib import Path
from shlex import quote

from serbench.imports.base import Refusal, refused

TO_JSON = "yq -o json {} > data.json makes JSON of it, or yq . {} > data.json where yq is Python's"
"""The advice about YAML: two programs have the same name, and other options."""

_DATA = "give the data themselves"
_UNPACK = "unpack it, and give what is inside"
_COMMENTS = rb"\s*(?:<!--.*?-->\s*)*"
_ELEMENT = rb"<[A-Za-z_][\w:.-]*(?:\s+[\w:.-]+\s*=\s*[\"']|/>|>(?:\s*\n\s*)?<[\w!/])"
"""Matches an element that has attributes, nothing or elements inside: ``<DATE>`` alone names a column in
tables of prices."""

_NO_TEXT = rb"(?=.{0,16}[\x00-\x08\x80-\xff])"
"""Matches in front of bytes that no text has, since a table may have a column of such a name."""

_ITSELF = "import it by itself: it has a schema of its own"
_OFFICE = rb"(\[Content_Types\]\.xml|_rels/|docProps/|(xl|word|ppt)/|mimetypeapplication/vnd\.oasis)"
_STRANGERS = (
    (rb"version https://git-lfs", "a pointer of Git LFS in place of the file", "git lfs pull gets the file"),
    (
        _COMMENTS + rb"(?i:<(!doctype )?html\b)",
        "a page of HTML",
        "servers send one for a file: get the file anew",
    ),
    (rb"\s*<\?xml|" + _COMMENTS + _ELEMENT, "XML", "make JSON or CSV of it first"),
    (
        rb"\x1e",
        "a JSON text sequence (RFC 7464)",
        "tr -d '\\036' < {} | jq -c . > lines.jsonl makes JSON lines of it",
    ),
    (rb"PK\x03\x04.{26}" + _OFFICE, "an Office document", "save a sheet of it as CSV"),
    (rb"\xd0\xcf\x11\xe0", "an Office document", "save a sheet of it as CSV"),
    (rb"PK\x03\x04", "a zip archive", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (rb"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (rb".{257}ustar", "a tar archive", _UNPACK),
    (rb"\x1f\x8b", "a file packed by gzip", "gunzip < {} > {unpacked} unpacks it"),
    (rb"\x28\xb5\x2f\xfd", "a file packed by zstd", "unzstd < {} > {unpacked} unpacks it"),
    (rb"BZh[1-9]1AY&SY", "a file packed by bzip2", "bunzip2 < {} > {unpacked} unpacks it"),
    (rb"\xfd7zXZ\0", "a file packed by xz", "unxz < {} > {unpacked} unpacks it"),
    (rb"\x04\x22\x4d\x18", "a file packed by LZ4", "unlz4 < {} > {unpacked} unpacks it"),
    (rb"SQLite format 3\0", "an SQLite database", "sqlite3 -csv -header {} 'select * from TABLE' makes CSV"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a", "an image", _DATA),
    (rb"%PDF-", "a PDF document", _DATA),
    (rb"\x7fELF", "a program", _DATA),
    (rb"\x89HDF", "an HDF5 file", "make Parquet of it first"),
    (rb"ORC" + _NO_TEXT, "an ORC file", "make Parquet of it first"),
    (rb"PARE" + _NO_TEXT, "a file of Parquet that is encrypted", "write it anew without encryption"),
    (rb"PAR1" + _NO_TEXT, "a file of Parquet", _ITSELF),
    (rb"ARROW1" + _NO_TEXT, "a file of Arrow", _ITSELF),
    (rb"Obj\x01", "a container file of Avro", _ITSELF),
)
"""Pattern of the first bytes, what they begin, and what to do, where {} stands for the file, and {unpacked}
for the one to be made of it: unpackers want an ending of their own, or a stream."""

_PACKED = (".gz", ".zst", ".bz2", ".xz", ".lz4")

_PATTERNS = tuple((re.compile(first, re.DOTALL), what, remedy) for first, what, remedy in _STRANGERS)

HEAD = 512
"""The first bytes that tell a stranger."""


def stranger(file: Path, head: bytes, expected: str) -> Refusal | None:
    """Returns the error for a file with these first bytes, at least ``HEAD`` where it has so many; None if it
    is no known stranger."""
    head = head.removeprefix(BOM_UTF8)
    for first, what, remedy in _PATTERNS:
        if first.match(head):
            ending = next((each for each in reversed(file.suffixes) if each.lower() not in _PACKED), "")
            named = remedy.replace("{}", quote(str(file))).replace("{unpacked}", quote(f"unpacked{ending}"))
            return refused(file, "", what, expected, named)
    return None
