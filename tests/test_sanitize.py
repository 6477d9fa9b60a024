"""Tests of reading the reports that sanitizers print: whose fault each is, and faults that libraries
declare."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec import structs
from tests.support import PATHS, fake_unit, small_spec

from serbench.building.prepare import prepare_sanitized
from serbench.codecs.codec import Codec, KnownFault
from serbench.dataset.cache import dataset_for
from serbench.errors import FileError, SetupError
from serbench.languages.base import Fault, Sanitizes, Toolchain
from serbench.languages.cpp.build import CppBuild
from serbench.languages.cpp.sanitizers import FLAGS, Sanitizers, check_runtime
from serbench.measure.job import Job
from serbench.paths import PROJECT, Paths
from serbench.report.sanitize_table import record_of, sanitize_tables
from serbench.selecting.catalogue import load_codec, load_codecs
from serbench.selecting.selection import Chosen
from serbench.verification.sanitize import Sanitized, sanitize

CODECS = load_codecs(PROJECT / "codecs")
CEREAL, PROTOBUF = CODECS["cpp/cereal"], CODECS["cpp/protobuf"]

OVERFLOW = """\
=================================================================
==1843==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000040 \
at pc 0x7f87 bp 0x7ffe sp 0x7ffe
READ of size 12 at 0x602000000040 thread T0
#0|/lib/libasan.so.8|__interceptor_memcpy|../../../../src/libsanitizer/sanitizer_common_interceptors.inc|827
#1|/b/terse.default.tiny|char* std::copy<char>(char const*, char const*)\
|/usr/include/c++/12/bits/stl_algobase.h|431
#2|/b/terse.default.tiny|std::vector<int>::vector()|<null>|0
#3|/b/terse.default.tiny|serbench::terse::put_raw(void const*)\
|/a/codecs/cpp/terse/adapter.hpp|18
#4|/lib/x86_64-linux-gnu/libc.so.6|__libc_start_call_main|../sysdeps/nptl/libc_start_call_main.h|58
#5|/b/terse.default.tiny|_start|<null>|0

0x602000000040 is located 0 bytes to the right of 16-byte region [0x602000000030,0x602000000040)
allocated by thread T0 here:
#0|/lib/libasan.so.8|operator new[](unsigned long)\
|../../../../src/libsanitizer/asan/asan_new_delete.cpp|98
#1|/b/terse.default.tiny|main|/there/runners/cpp/source/runner.cpp|17

SUMMARY: AddressSanitizer: heap-buffer-overflow \
../../../../src/libsanitizer/sanitizer_common_interceptors.inc:827 in memcpy
Shadow bytes around the buggy address:
  0x0c047fff7fb0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
=>0x0c047fff8000: fa fa 00 00 fa fa 00 00[fa]fa fa fa fa fa fa fa
"""

IN_LIBRARY = """\
/usr/include/terse/base.h:8:59: runtime error: signed integer overflow: 2147483647 + 1 \
cannot be represented in type 'int'
#0|/b/terse.default.tiny|terse::operator|(int)|/usr/include/terse/base.h|8
#1|/b/terse.default.tiny|serbench::TerseAdapter<Tiny>::Encoder::encode(Tiny)|/a/codecs/cpp/terse/adapter.hpp|9
#2|/b/terse.default.tiny|_start|<null>|0

SUMMARY: UndefinedBehaviorSanitizer: signed-integer-overflow /usr/include/terse/base.h:8:59 in
"""

UNDEFINED = f"""{IN_LIBRARY}\
/build/generated/tiny/terse/glue.hpp:4:74: runtime error: store to misaligned address 0x602000000011 \
for type 'int'
0x602000000011: note: pointer points here
 00 00 00  00 00 00 00 00 00 00 00 00  00 00 00 00 00 00 00
#0|/b/terse.default.tiny|serbench::glue::build(int*)|/build/generated/tiny/terse/glue.hpp|4

SUMMARY: UndefinedBehaviorSanitizer: misaligned-pointer-use /build/generated/tiny/terse/glue.hpp:4:74 in
"""

LEAKS = """\

=================================================================
==1972==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 688 byte(s) in 1 object(s) allocated from:
#0|/lib/libasan.so.8|__interceptor_malloc|../../../../src/libsanitizer/asan/asan_malloc_linux.cpp|69
#1|<null>|<null>|<null>|0
#2|/lib/x86_64-linux-gnu/libterse.so.40|terse_new|<null>|0
#3|/b/terse.default.tiny|main|/a/codecs/cpp/terse/adapter.hpp|3

Direct leak of 8 byte(s) in 1 object(s) allocated from:
#0|/lib/libasan.so.8|operator new(unsigned long)\
|../../../../src/libsanitizer/asan/asan_new_delete.cpp|95
#1|/b/terse.default.tiny|terse_static<int>(int)|<null>|0

Direct leak of 8 byte(s) in 1 object(s) allocated from:
#0|/lib/libasan.so.8|operator new(unsigned long)\
|../../../../src/libsanitizer/asan/asan_new_delete.cpp|95
#1|/b/terse.default.tiny|serbench::TerseAdapter<Tiny>::Encoder::Encoder()|<null>|0

Indirect leak of 4 byte(s) in 1 object(s) allocated from:
#0|/lib/libasan.so.8|__interceptor_malloc|../../../../src/libsanitizer/asan/asan_malloc_linux.cpp|69

SUMMARY: AddressSanitizer: 704 byte(s) leaked in 3 allocation(s).
"""


def sanitizers() -> Sanitizers:
    own = (Path("/there/runners"), Path("/a/codecs"))
    return Sanitizers(cast("Toolchain", None), Path("/build/generated"), own)


def faults(said: str, codec: Codec = CEREAL) -> list[tuple[str, str, bool]]:
    return [(fault.kind, fault.place, fault.is_ours) for fault in sanitizers().faults(said, codec)]


def test_reports_are_told_with_whose_they_are() -> None:
    """A fault inside a standard library is attributed to the code that calls it."""
    assert faults(OVERFLOW) == [("heap-buffer-overflow", "codecs/cpp/terse/adapter.hpp:18", True)]
    assert faults(UNDEFINED) == [
        ("signed-integer-overflow", "terse/base.h:8", False),
        ("misaligned-pointer-use", "generated/tiny/terse/glue.hpp:4", True),
    ]
    assert faults(LEAKS) == [
        ("leak", "terse_new in libterse.so.40", False),
        ("leak", "terse_static<int>(int)", False),
        ("leak", "serbench::TerseAdapter<Tiny>::Encoder::Encoder()", True),
    ]
    assert faults(LEAKS + OVERFLOW + "the library says no\n" + UNDEFINED) == faults(LEAKS) + faults(
        OVERFLOW
    ) + faults(UNDEFINED)
    assert faults("terminate called without an active exception\n") == []
    first = sanitizers().faults(UNDEFINED, CEREAL)[0]
    assert first.detail == "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'"
    assert len(first.stack) == 3 and first.stack[0] == "terse::operator|(int) /usr/include/terse/base.h:8"


def test_a_fault_whose_call_has_no_known_source_has_its_own() -> None:
    lost = IN_LIBRARY.replace("(int)|/usr/include/terse/base.h|8", "(int)|<null>|0")
    assert lost != IN_LIBRARY and faults(lost) == faults(IN_LIBRARY)
    inlined = lost.replace("/usr/include/terse/base.h:8:59: r", "/usr/include/c++/12/bits/std_abs.h:8:59: r")
    assert faults(inlined) == [("signed-integer-overflow", "terse::operator|(int)", False)]


def test_what_a_compiler_of_the_library_generated_is_the_librarys() -> None:
    said = UNDEFINED.replace("terse/glue.hpp", "protobuf/tiny.pb.cc")
    assert faults(said, PROTOBUF)[1] == (
        "misaligned-pointer-use",
        "generated/tiny/protobuf/tiny.pb.cc:4",
        False,
    )
    assert faults(said.replace("tiny.pb.cc", "glue.hpp"), PROTOBUF)[1][2] is True


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("attempting double-free on 0x602000000010 in thread T0:", "double-free"),
        ("SEGV on unknown address 0x000000000000 (pc 0x55 bp 0x7f sp 0x7f T0)", "SEGV"),
        ("ABRT on unknown address 0x03e800006a6e (pc 0x7f bp 0x69 sp 0x7f T0)", "ABRT"),
        (
            "requested allocation size 0xffffffff exceeds maximum supported size of 0x10000000000",
            "allocation-size-too-big",
        ),
        ("stack-overflow on address 0x7ffc (pc 0x7f bp 0x7f sp 0x7f T0)", "stack-overflow"),
        ("use-after-poison on address 0x6020 at pc 0x55 bp 0x7f sp 0x7f", "use-after-poison"),
    ],
)
def test_kinds_are_the_sanitizers_own_words(header: str, kind: str) -> None:
    said = (
        f"==1==ERROR: AddressSanitizer: {header}\n#0|/build/cells/a|put|/a/codecs/cpp/terse/adapter.hpp|18\n"
    )
    assert faults(said) == [(kind, "codecs/cpp/terse/adapter.hpp:18", True)]


def test_a_report_that_was_cut_off_is_told_as_far_as_it_goes() -> None:
    assert faults(OVERFLOW[: OVERFLOW.index("#0")]) == [("heap-buffer-overflow", "nobody knows where", True)]
    told = faults(UNDEFINED[: UNDEFINED.index("#0")])
    assert told == [("undefined-behavior", "terse/base.h:8", False)]


def test_paths_are_told_as_they_are_on_every_machine() -> None:
    said = OVERFLOW.replace("/a/codecs/cpp/terse", "/a/codecs/cpp/a b")
    assert faults(said) == [("heap-buffer-overflow", "codecs/cpp/a b/adapter.hpp:18", True)]
    said = OVERFLOW.replace("/a/codecs/cpp/terse", "/there/runners/cpp/cmake/../include/serbench")
    assert faults(said) == [("heap-buffer-overflow", "runners/cpp/include/serbench/adapter.hpp:18", True)]
    said = OVERFLOW.replace("/a/codecs/cpp/terse", "/opt/libraries/include/terse/detail")
    assert faults(said) == [("heap-buffer-overflow", "terse/detail/adapter.hpp:18", False)]


KNOWN = KnownFault("signed-integer-overflow", "terse/base.h", "1.2", "counts beyond the end")


def test_what_is_declared_is_of_a_kind_and_a_place() -> None:
    assert KNOWN.is_of("signed-integer-overflow", "vendored/terse/base.h", "f")
    assert not KNOWN.is_of("signed-integer-overflow", "other_terse/base.h", "f")
    assert not KNOWN.is_of("leak", "terse/base.h", "f")
    by_function = structs.replace(KNOWN, place="terse::next")
    assert by_function.is_of(KNOWN.kind, "", "terse::next(int)") and by_function.is_of(
        KNOWN.kind, "", "terse::next<int>(int)"
    )
    assert not by_function.is_of(KNOWN.kind, "", "terse::next_one(int)")
    assert not by_function.is_of(KNOWN.kind, "terse/base.h", "terse::next(int)")
    by_library = structs.replace(KNOWN, place="libterse.so")
    assert by_library.is_of(KNOWN.kind, "libterse.so.40", "f") and by_library.is_of(
        KNOWN.kind, "libterse.so", "f"
    )
    assert not by_library.is_of(KNOWN.kind, "libterse.sources/base.h", "f")


def codec_toml(folder: Path, added: str) -> Path:
    """Writes the codec.toml of cereal with one more line at its head; returns its path."""
    made = folder / "cpp" / "declared"
    made.mkdir(parents=True)
    (made / "adapter.hpp").write_text("")
    (made / "codec.toml").write_text(f"{added}\n{(CEREAL.directory / 'codec.toml').read_text()}")
    return made / "codec.toml"


def test_codec_toml_declares_what_a_library_does_wrong(tmp_path: Path) -> None:
    line = (
        'faults = [{ kind = "leak", place = "terse_new", seen = "1.2", '
        'reason = "never frees its first table" }]'
    )
    path = codec_toml(tmp_path, line)
    assert load_codec(path).variants["default"].faults == (
        KnownFault("leak", "terse_new", "1.2", "never frees its first table"),
    )
    path.write_text(path.read_text().replace('"never frees its first table"', '" "').replace('"1.2"', '""'))
    with pytest.raises(FileError) as found:
        load_codec(path)
    assert "faults[0].seen: found nothing, expected the version of the library in which it was seen" in str(
        found.value
    )
    assert "faults[0].reason: found nothing, expected what the library does" in str(found.value)


class Prints:
    """Sanitizers whose programs only print a given report."""

    toolchain = cast("Toolchain", None)

    def __init__(self, said: str):
        self._said = said

    def command(self, command: Sequence[str], folder: Path, whole_stacks: bool) -> tuple[str, ...]:
        said = self._said if whole_stacks or "Direct leak" not in self._said else LEAKS[: LEAKS.index("#1|")]
        return ("sh", "-c", 'printf "%s" "$1" >"$0/$$"', str(folder), said)

    def faults(self, said: str, codec: Codec) -> list[Fault]:
        return sanitizers().faults(said, codec)


def found_of(said: str, *known: KnownFault) -> Sanitized:
    data = dataset_for(small_spec("nestings"), PATHS)
    unit = fake_unit("cpp/fake", data)
    unit = replace(unit, variant=replace(unit.variant, faults=known), command=("none",))
    return sanitize(unit, cast("Sanitizes", Prints(said)))


def test_what_is_not_declared_fails_and_ours_cannot_be_declared() -> None:
    undeclared, declared = found_of(IN_LIBRARY), found_of(IN_LIBRARY, KNOWN)
    ours = found_of(UNDEFINED, KNOWN, KnownFault("misaligned-pointer-use", "glue.hpp", "1", "not so bad"))
    assert [each.known for each in undeclared.told] == [None]
    assert [each.known for each in declared.told] == [KNOWN] and declared.told[0].processes == 1
    assert [(each.fault.is_ours, each.known) for each in ours.told] == [(True, None), (False, KNOWN)]
    # Their programs never answered, which is a failure of its own.
    assert all(
        each.status == "failed" and each.failure.startswith("not verified: ")
        for each in (undeclared, declared, ours)
    )
    statuses = [replace(each, failure="").status for each in (undeclared, declared, ours)]
    assert statuses == ["failed", "noted", "failed"]
    assert replace(declared, failure="", told=()).status == "ok"


def test_who_lost_memory_is_looked_for_once_more() -> None:
    """The first run's reports have only the innermost call of each allocation. A second run must give all
    calls, since these tell whose code lost the memory."""
    assert sorted(each.fault.place for each in found_of(LEAKS).told) == sorted(
        place for _, place, _ in faults(LEAKS)
    )


def test_the_table_names_kind_place_and_whose(tmp_path: Path) -> None:
    (table,) = sanitize_tables([replace(found_of(UNDEFINED, KNOWN), failure="")])
    assert [tuple(row) for row in table.rows] == [
        ("cpp/fake", "failed", "misaligned-pointer-use", "generated/tiny/terse/glue.hpp:4", "ours", "1"),
        (
            "",
            "",
            "signed-integer-overflow",
            "terse/base.h:8",
            "the library's, declared: counts beyond the end",
            "1",
        ),
    ]
    everywhere = [
        structs.replace(KNOWN, kind="leak", place=place, reason="lost")
        for place in ("libterse.so", "terse_static")
    ]
    (table,) = sanitize_tables(
        [replace(found_of(LEAKS + LEAKS.replace("terse_new", "terse_more"), *everywhere), failure="")]
    )
    assert [tuple(row[2:4]) for row in table.rows] == [
        ("leak", "serbench::TerseAdapter<Tiny>::Encoder::Encoder()"),
        ("leak", "2 places in libterse.so"),
        ("leak", "terse_static<int>(int)"),
    ]
    record = json.loads(json.dumps(record_of(found_of(UNDEFINED, KNOWN))))
    assert [(each["place"], each["declared"]) for each in record["faults"]] == [
        ("generated/tiny/terse/glue.hpp:4", None),
        ("terse/base.h:8", "counts beyond the end"),
    ]
    assert not table.notes
    (undeclared,) = sanitize_tables([found_of(LEAKS)])
    assert "declare it in codec.toml" in undeclared.notes[0] and undeclared.rows[0][2].startswith(
        "not verified: "
    )


def test_a_language_without_sanitizers_is_a_row_that_says_so(tmp_path: Path) -> None:
    class Without:
        language, name, sanitizers = "jvm", "none", None

    variant = CODECS["jvm/kryo"].variants["default"]
    builds: list[Any] = [Without()]
    made = prepare_sanitized(
        Job(Paths(PROJECT, tmp_path), Chosen([variant], [small_spec("monsters")]), builds)
    )
    assert [(unit.status, unit.reason, without) for unit, without in made] == [
        ("unsupported", "no toolchain of the JVM has sanitizers", None)
    ]


def test_a_compiler_without_sanitizers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "poor-g++"
    compiler.write_text(
        "#!/bin/sh\necho 'cannot find libasan_preinit.o: No such file or directory' >&2\nexit 1\n"
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(
        SetupError,
        match=r"^poor-g\+\+ cannot link a program with -fsanitize=.*cannot find libasan_preinit.*libubsan",
    ):
        CppBuild(Paths(PROJECT, tmp_path), "poor-g++", (), (), sanitized=True).configure()
    compiler.write_text(
        "#!/bin/sh\nfor word; do out=$word; done\nprintf '#!/bin/sh\\nexit 3' >$out\nchmod +x $out\n"
    )
    with pytest.raises(SetupError, match=r"cannot run a program with .*status 3"):
        check_runtime("poor-g++", FLAGS, {})


def test_builds_with_sanitizers_are_apart_and_never_taken_for_measured_ones(tmp_path: Path) -> None:
    build = CppBuild(Paths(PROJECT, tmp_path), "g++", (), ())
    assert build.sanitizers is not None
    made = build.sanitizers.toolchain
    assert isinstance(made, CppBuild)
    assert made.directory == tmp_path / "build" / "cpp" / "sanitized" / "g++" and made.name == build.name
    assert "-fsanitize=" in made.flags and "-static" not in made.flags
    assert "-fsanitize=" not in build.flags and "-O3 -DNDEBUG" in build.flags
    assert made.describe()["linking"] == "dynamic"
