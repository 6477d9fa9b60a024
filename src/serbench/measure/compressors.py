"""The compressors whose wire cost is measured: C libraries, called through their Python packages.

Levels are those that a program uses while a receiver waits: the two of zstd that are asked for most, the
defaults of lz4 and of gzip, and for brotli 5, with which Apache's mod_brotli compresses what it makes on the
fly (the default of the library, 11, is meant for files that are compressed once, and takes some hundred times
as long).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class Compressor:
    """One compressor at one level. It keeps its state between calls, as in a program that sends many
    messages.

    Attributes:
        library: the library's name and version.
        compress: returns bytes from which ``decompress`` restores the given ones without being told their
            length.
    """

    library: str
    compress: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]


def _zstd(level: int) -> Compressor:
    import zstandard

    version = "zstd " + ".".join(map(str, zstandard.ZSTD_VERSION))
    return Compressor(
        version, zstandard.ZstdCompressor(level=level).compress, zstandard.ZstdDecompressor().decompress
    )


def _lz4() -> Compressor:
    # A block after its length in 4 bytes, as protocols with messages use it; the frame format takes 19 bytes
    # more.
    import lz4
    import lz4.block

    return Compressor(f"lz4 {lz4.library_version_string()}", lz4.block.compress, lz4.block.decompress)


def _gzip(level: int) -> Compressor:
    import zlib

    # https://zlib.net/manual.html#Advanced: 16 is added for a gzip header and trailer
    gzip_format = 16 + zlib.MAX_WBITS
    return Compressor(
        f"zlib {zlib.ZLIB_RUNTIME_VERSION}",
        partial(zlib.compress, level=level, wbits=gzip_format),
        partial(zlib.decompress, wbits=gzip_format),
    )


def _brotli(level: int) -> Compressor:
    import brotli

    return Compressor(f"brotli {brotli.version}", partial(brotli.compress, quality=level), brotli.decompress)


COMPRESSORS: dict[str, Callable[[], Compressor]] = {
    "zstd-1": partial(_zstd, 1),
    "zstd-3": partial(_zstd, 3),
    "lz4": _lz4,
    "gzip-6": partial(_gzip, 6),
    "brotli-5": partial(_brotli, 5),
}
"""Name and level → a function that makes the compressor; each process makes its own."""
