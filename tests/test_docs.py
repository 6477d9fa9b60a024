"""Tests of the documentation: its examples are built and verified, and its commands are run."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.started import started
from tests.support import sharing

from serbench import __version__
from serbench.building.prepare import prepare_builds
from serbench.cli.app import app, register
from serbench.imports import formats
from serbench.languages.cpp.build import CppBuild
from serbench.measure.job import Job
from serbench.paths import PROJECT, Paths
from serbench.selecting.catalogue import load_codecs, load_variants
from serbench.selecting.selection import Chosen
from serbench.verification.units import verified
from serbench.workload import load_workloads, parse_workload

DOCUMENTS = [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").rglob("*.md"))]


def fenced(document: Path, language: str) -> list[str]:
    """The fenced code blocks of a language in a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(name="project", scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A project with the runners and workloads of this one, and with what the documents have their readers
    write: two codecs and a workload. Its tests share builds, so that what measures is compiled once."""
    folder = tmp_path_factory.mktemp("documents")
    project = folder / "project"
    (project / "codecs" / "cpp").mkdir(parents=True)
    (project / "runners").symlink_to(PROJECT / "runners")
    (project / "workloads").mkdir()
    for path in (PROJECT / "workloads").glob("*.py"):
        (project / "workloads" / path.name).symlink_to(path)
    (sensors,) = fenced(PROJECT / "docs" / "add-a-workload.md", "python")
    (project / "workloads" / "sensors.py").write_text(sensors)
    for name in ("handwritten", "iostream"):
        (project / "codecs" / "cpp" / name).symlink_to(PROJECT / "codecs" / "cpp" / name)
    for name, blocks in ADDED.items():
        (project / "codecs" / "cpp" / name).mkdir()
        for file, language, text in blocks:
            found = _holding(PROJECT / "docs" / "add-a-codec.md", language, text)
            (project / "codecs" / "cpp" / name / file).write_text(found)
    return Paths(project, sharing(folder / "home"))


ADDED = {
    "terse": [("codec.toml", "toml", "TerseAdapter"), ("adapter.hpp", "cpp", "struct TerseAdapter")],
    "pb": [
        ("codec.toml", "toml", "PbAdapter"),
        ("glue.py", "python", "def emit"),
        ("convert.hpp", "cpp", "copy_numbers"),
        ("adapter.hpp", "cpp", "struct PbAdapter"),
    ],
}
"""Codec of the document → its files, each with the language of its block and a text that only this block
has."""


def statuses(paths: Paths, codecs: list[str], workloads: list[str]) -> dict[tuple[str, str], str]:
    """Builds and verifies codecs of a project; returns each one's status, or the reason of a failure, by
    codec and workload."""
    known = load_workloads(paths.workloads)
    specs = [parse_workload(text, known) for text in workloads]
    found = load_codecs(paths.codecs)
    build = CppBuild(paths, "g++", [found[f"cpp/{name}"] for name in codecs], [s.workload for s in specs])
    variants = [v for v in load_variants(paths.codecs).values() if v.codec.name in codecs]
    cells = prepare_builds(Job(paths, Chosen(variants, specs), [build]))
    return {
        (c.variant.id, c.spec.id): c.reason or c.status for c in verified(paths, cells, lambda *_: None, 60)
    }


def test_nobody_is_sent_where_nothing_is() -> None:
    """serbench is in no package index and at no public address, so documents may only describe how to use a
    clone."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    files = [PROJECT / name for name in listed.stdout.split("\0") if name and name != "tests/test_docs.py"]
    nowhere = re.compile(
        r"github\.com/serbench|(pipx?|uv tool|uv pip) install serbench(?![./\w-])|uvx serbench"
    )
    texts = {path: path.read_text(errors="ignore") for path in files if path.is_file()}
    assert len(texts) > 500
    assert not [f"{path}: {found[0]}" for path, text in texts.items() if (found := nowhere.search(text))]


@pytest.mark.native
def test_add_a_codec_followed_word_by_word_gives_verified_rows(project: Paths) -> None:
    found = statuses(project, ["terse"], BOTH)
    assert set(found.values()) == {"ok"} and len(found) == 2, found


@pytest.mark.native
@pytest.mark.skipif(not shutil.which("protoc"), reason="no program protoc is on the path")
def test_a_codec_with_an_idl_followed_word_by_word_gives_verified_rows_and_touches_one_folder(
    project: Paths,
) -> None:
    found = statuses(project, ["pb"], BOTH)
    assert set(found.values()) == {"ok"} and len(found) == 2, found


BOTH = ["monsters:count=3", "graph:nodes=10"]
"""A workload with messages of many types, and one whose messages are graphs."""


def _holding(document: Path, language: str, text: str) -> str:
    """The only fenced code block of a language that contains this text."""
    (found,) = [block for block in fenced(document, language) if text in block]
    return found


@pytest.mark.native
def test_add_a_workload_followed_word_by_word_gives_verified_rows(project: Paths) -> None:
    found = statuses(project, ["handwritten", "iostream"], ["sensors:count=10"])
    assert set(found.values()) == {"ok"}, found
    assert ("cpp/iostream", "sensors:count=10") in found


PARSED = ("test", "verify", "setup", "encode", "compare", "doctor", "try", "why", "advise", "history")
"""Commands that would build, measure or test much, or judge this machine: their lines are parsed, and not
run."""


def commands() -> list[str]:
    """The indented ``./serbench`` lines of the documents in the project's root and in ``docs`` that can be
    run here, without their comments. Lines of ``PARSED`` are left out, those that need a run or a cluster,
    those about the example codec and workload, which this project does not have, and
    those that ask a network."""
    lines = [
        line.strip().split("  #")[0].strip()
        for d in DOCUMENTS
        if d.parent in (PROJECT, PROJECT / "docs")
        for line in d.read_text().splitlines()
        if re.match(r" {4,}\./serbench", line)
    ]
    return sorted({line for line in lines if _can_run(shlex.split(line)[1:])})


def _can_run(words: list[str]) -> bool:
    """Whether a command line needs nothing that is not here; no run has the name RUN."""
    named = {"terse", "sensors"} & {*re.findall(r"\w+", " ".join(words))}
    needs_run = any(word.partition("/")[0] == "RUN" for word in words)
    return not (
        named or needs_run or words[0] in PARSED or words[:2] in (["list", "machines"], ["list", "releases"])
    )


@pytest.fixture(name="home", scope="module")
def home_of_commands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of all documented commands, so that data which several of them need are made once."""
    return tmp_path_factory.mktemp("home")


@pytest.mark.slow("run the commands of the documentation")
@pytest.mark.parametrize("command", commands())
def test_documented_commands_are_accepted(command: str, home: Path, tmp_path: Path) -> None:
    """A command of ``run`` gets ``--dry-run``."""
    machines = tmp_path / "machines.txt"
    machines.write_text("a\n")
    words = shlex.split(command.replace("ssh:machines.txt", f"ssh:{machines}"))[1:]
    if words[:1] == ["run"]:
        words.append("--dry-run")
    done = started(*words, home=home)
    no_run_yet = (
        words[0] in ("show", "plot", "report", "serve")
        and "yet; start one with: ./serbench run" in done.stderr
    )
    assert done.returncode == 0 or no_run_yet, done.stderr


def lines_with_serbench() -> list[str]:
    """The arguments of every command line of serbench in the documents' examples, as ``./serbench`` of a
    clone or as an installed ``serbench``."""
    lines = [
        found[1]
        for document in DOCUMENTS
        for line in document.read_text().splitlines()
        if (found := re.match(r" {4,}(?:\./)?serbench ([a-z].*)", line.split("  #")[0].rstrip()))
    ]
    return sorted({line for line in lines if "…" not in line})


def test_every_command_in_a_document_is_one_with_its_options() -> None:
    """Command lines are parsed by the command line's own parser, without running them; an unknown option or
    argument is an error."""
    register(["--help"])
    root = typer.main.get_command(app)
    faults = {
        line: fault
        for line in lines_with_serbench()
        if (fault := _fault(root, shlex.split(line, comments=True)))
    }
    assert len(lines_with_serbench()) > 80 and not faults


def _fault(root: Any, words: list[str]) -> str | None:
    """The reason why a command line would be refused; None if it would be accepted."""
    command, context = root, root.make_context("serbench", [], resilient_parsing=True)
    try:
        while hasattr(command, "resolve_command"):
            name, command, words = command.resolve_command(context, words)
            context = command.make_context(name, words, parent=context)
            words = [*getattr(context, "_protected_args", []), *context.args]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def test_the_version_that_is_cited_is_this_one() -> None:
    assert f"version: {__version__}\n" in (PROJECT / "CITATION.cff").read_text()


def test_every_framing_is_explained_in_the_document_that_the_help_names() -> None:
    document = (PROJECT / "docs" / "imports.md").read_text()
    for each in formats().values():
        for framing, meaning in each.framings.items():
            assert f"| `{framing}` | {meaning} |" in document


def test_every_decision_has_a_number_of_its_own_and_a_line_in_the_index_with_its_title() -> None:
    folder = PROJECT / "docs" / "decisions"
    pages = sorted(path.name for path in folder.glob("[0-9]*.md"))
    assert [int(name[:3]) for name in pages] == [*range(1, len(pages) + 1)]
    titles = {name: (folder / name).read_text().partition("\n")[0] for name in pages}
    assert not {name: title for name, title in titles.items() if not title.startswith(f"# {name[:3]} ")}
    lines = re.findall(r"^- \[([^]]+)\]\(([^)]+)\)$", (folder / "index.md").read_text(), re.MULTILINE)
    assert sorted((name, f"# {title}") for title, name in lines) == sorted(titles.items())


def test_links_between_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        prose = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (document.parent / target).exists(), f"{document.name}: {target}"
