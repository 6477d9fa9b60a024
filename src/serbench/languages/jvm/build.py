"""Resolves the libraries of the JVM's codecs and builds their runners, with Maven."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from serbench.codecs.codec import Codec, Variant
from serbench.codecs.edition import Edition, is_path
from serbench.errors import BuildError, FileError, SetupError
from serbench.languages.base import Carried, Failures, Found, Pair, Progress, Toolchain, edition_folder
from serbench.languages.install import missing_program
from serbench.languages.jvm.archives import FIRST_JDK, Archive
from serbench.languages.jvm.carried import carried
from serbench.languages.jvm.domain import cell_class
from serbench.languages.jvm.generate import (
    RUNTIME,
    module_name,
    workloads_of,
    write_build,
    write_codec,
    write_domain,
    write_resolution,
)
from serbench.languages.jvm.maven import cut_off, errors, failure, unresolved, without_addresses
from serbench.languages.jvm.options import options_of, source_folders
from serbench.languages.jvm.programs import (
    ARCHIVED,
    PACKAGES,
    SETTINGS,
    flags_of,
    has,
    jdk_release,
    jdk_version,
    need,
    program,
)
from serbench.languages.jvm.versions import altered_jar, version_of_jar
from serbench.paths import Paths
from serbench.system.cores import usable_cores
from serbench.system.files import Digest, Name, Text, read_json, to_json
from serbench.system.guard import marked_environment
from serbench.system.stamp import ASK_AGAIN_S, Stamp, contents, sha256_of
from serbench.system.whole import write_atomically
from serbench.workload import Workload

_COMPILING = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Flags of the JVM that runs Maven and its compilers. Optimizing them takes longer than they run: all codecs
compile in 0.6 of the processor time, and 0.65 of the time, with these flags."""

# The runner itself measures nothing: it has to start quickly and leave the core to its forks.
_RUNNER_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto", "-Xss4m")


class _ResolvedPackages(msgspec.Struct, kw_only=True):
    """The codecs' libraries as Maven found them.

    Attributes:
        state: the digest of all that decides on what Maven finds.
        libraries: the class path of each codec whose libraries are there.
        all: whether ``libraries`` has every codec.
    """

    state: Digest
    libraries: dict[Name, Text]
    found: dict[Name, Found]
    all: bool


@dataclass
class JvmBuild(Toolchain):
    """The build of all runners of the JVM.

    Attributes:
        derived: the only workload, whose programs are built apart, since its types have the names of its
            base's; empty for the build of all others.
    """

    paths: Paths
    codecs: Sequence[Codec]
    workloads: Sequence[Workload]
    found: dict[str, Found] = field(default_factory=dict)
    _libraries: dict[str, str] = field(default_factory=dict)  # class path by codec name
    derived: str = ""
    edition: Edition | None = None

    language = "jvm"

    @property
    def name(self) -> str:
        return self.edition.name("jdk") if self.edition else "jdk"

    @property
    def _version(self) -> str:
        """The version of this edition's libraries; empty for the usual ones."""
        return self.edition.version.text if self.edition and self.edition.version else ""

    @property
    def directory(self) -> Path:
        is_same = self.edition and self.edition.profile  # settings are flags of the same programs
        folder = edition_folder(self.paths.builds / "jvm", None if is_same else self.edition)
        return folder / "derived" / self.derived if self.derived else folder

    def _of(self, workload: str) -> JvmBuild:
        """Return the build of a workload's programs."""
        (known,) = (each for each in self.workloads if each.name == workload)
        return (
            self if known.base is None or self.derived else replace(self, derived=workload, workloads=[known])
        )

    @property
    def flags(self) -> str:
        """The JVM's flags for processes that are measured, from the file in which the runner finds them, and
        those of this edition."""
        file = self._sources / "core" / "src" / "main" / "resources" / "serbench" / "fork-flags"
        return " ".join([*file.read_text().split(), *flags_of(self.edition)])

    def describe(self) -> Mapping[str, Any]:
        done = subprocess.run([need("java"), "-version"], capture_output=True, text=True)
        version = (done.stderr or done.stdout).splitlines()
        scala = re.search(r"<scala.version>(.*)</scala.version>", self._parent.read_text())
        jdk = version[1] if len(version) > 1 else jdk_version()
        compiler = f"{jdk}, Scala {scala[1] if scala else '?'}, JMH"
        return {"compiler": compiler, "flags": self.flags, "linking": "dynamic"}

    def missing_packages(self) -> Sequence[str]:
        return list(dict.fromkeys(package for each, package in PACKAGES.items() if not program(each)))

    @property
    def _sources(self) -> Path:
        return self.paths.runners / "jvm"

    @property
    def _parent(self) -> Path:
        return self._sources / "pom.xml"

    def configure(self) -> None:
        """Let Maven look for the libraries; do nothing where nothing has changed."""
        for each in PACKAGES:
            need(each)
        if has(self.edition, ARCHIVED) and jdk_release() < FIRST_JDK:
            raise SetupError(
                f"{SETTINGS.key}={ARCHIVED}: found JDK {jdk_version()}, expected {FIRST_JDK} or later, which "
                "archives the classes of a program when that ends"
            )
        aggregate = write_resolution(self.directory / "resolve", self.codecs, self._parent)
        file, state = self.directory / "resolved.json", self._resolution_state()
        kept = self._kept(file)
        if (
            kept is None
            or kept.state != state
            or not (kept.all or time.time() - file.stat().st_mtime < ASK_AGAIN_S)
        ):
            kept = self._resolve(aggregate, state)
            write_atomically(file, to_json(kept))
        self._libraries, self.found = kept.libraries, dict(kept.found)
        for name, class_path in kept.libraries.items() if self._version else ():
            record = self.directory / "locks" / f"{name}.json"
            jars = [jar for jar in _jars(class_path) if str(jar) != self._version]
            if jar := altered_jar(jars, record):
                missing = f"{jar} has another content than when it was fetched, by {record}"
                self.found[name] = Found(False, "", missing)
        for codec in self.codecs:
            if absent := missing_program(options_of(codec).programs):
                self.found[codec.name] = Found(False, "", absent)

    def _kept(self, file: Path) -> _ResolvedPackages | None:
        """Return the libraries that Maven found the last time; None where they are not known, the file was
        altered, or jars of a version are gone."""
        try:
            kept = read_json(file, _ResolvedPackages, "resolution") if file.exists() else None
        except FileError:
            return None
        names = {codec.name for codec in self.codecs}
        whole = (
            kept is not None
            and names <= kept.found.keys()
            and {n for n in names if kept.found[n].installed} <= kept.libraries.keys()
            and not (self._version and any(not jar.exists() for jar in _jars(*kept.libraries.values())))
        )
        return kept if whole else None

    def build(self, pairs: Iterable[Pair], progress: Progress) -> Failures:
        """Build the modules of the pairs whose library is there, each with all workloads that it was ever
        built for: a workload takes up to minutes to compile, and stays. A derived workload is built apart.

        Returns:
            For each (variant id, workload) that did not build, the compiler's first error. A module is
            compiled whole, so an error in one of its pairs is that of all.
        """
        wanted = self.with_library(pairs)
        failed: dict[tuple[str, str], str] = {}
        for folder in dict.fromkeys(self._of(workload).directory for _, workload in wanted):
            own = [(v, w) for v, w in wanted if self._of(w).directory == folder]
            failed |= self._of(own[0][1])._build(own, progress)
        return failed

    def _build(self, wanted: Sequence[Pair], progress: Progress) -> Failures:
        codecs = {v.codec.name: v.codec for v, _ in wanted}
        for name, codec in codecs.items():
            asked = {workload for variant, workload in wanted if variant.codec.name == name}
            # A workload that could not be compiled is left out, so that it does not harm the next one.
            held = asked | (workloads_of(self._module(codec)) if self._built(codec).exists() else set())
            write_codec(
                self._module(codec), codec, [w for w in self.workloads if w.name in held], self._parent
            )
        modules = (self.directory / "modules").glob("codec-*")
        held = set[str]().union(*map(workloads_of, modules))
        write_domain(self.directory / "generated" / "domain", [w for w in self.workloads if w.name in held])
        stamps = {name: Stamp(self._built(codec), self._digest(codec)) for name, codec in codecs.items()}
        # All modules share the classes of the domain, so one that was built may stand beside other types.
        domain = Stamp(self.directory / "target" / "domain.built", self._domain_digest())
        left = [codec for name, codec in codecs.items() if not (domain.holds() and stamps[name].holds())]
        if not left:
            return {}
        domain.clear()
        for codec in left:
            stamps[codec.name].clear()
        project = write_build(
            self.directory / "modules", [module_name(codec) for codec in left], self._parent
        )
        names = {module_name(codec): codec.id for codec in left}
        log = self._run_maven(
            project, ["compile"], lambda n, of, what: progress(n, of, names.get(what, "all codecs"))
        )
        (self.directory / "build.log").write_text(log)
        failed = {codec.name: error for codec in left if (error := self._error_of(log, codec))}
        for codec in left:
            if codec.name not in failed:
                stamps[codec.name].set()
        if len(failed) < len(left):
            domain.set()
        whole = f"all of it: {self.directory / 'build.log'}"
        return {(v.id, w): f"{failed[v.codec.name]}; {whole}" for v, w in wanted if v.codec.name in failed}

    def _module(self, codec: Codec) -> Path:
        return self.directory / "modules" / module_name(codec)

    def carried(self, pairs: Iterable[Pair], progress: Progress) -> Mapping[tuple[str, str], Carried | str]:
        def of(codec: Codec) -> Carried:
            return carried(_jars(self._libraries[codec.name]), RUNTIME)

        return {(variant.id, workload): of(variant.codec) for variant, workload in pairs}

    def command(self, variant: Variant, workload: str) -> tuple[str, ...]:
        return self._of(workload)._command(variant, workload)

    def calling(self, variant: Variant, workload: str, dataset: Path) -> tuple[str, ...]:
        return self._of(workload)._calling(variant, workload, dataset)

    def _calling(self, variant: Variant, workload: str, dataset: Path) -> tuple[str, ...]:
        flags = self.flags.split()
        if not has(self.edition, ARCHIVED):
            return self._command(variant, workload, flags)
        cell, digest = cell_class(variant, self.schema(workload)), self._digest(variant.codec)
        folder = self.directory / "archives" / cell
        java = (need("java"), *flags, f"-Dserbench.digest={digest}")
        libraries = self._libraries[variant.codec.name]
        return Archive(folder, java, self._classes(variant), libraries, cell, digest).command(dataset)

    def _classes(self, variant: Variant) -> list[Path]:
        names = [module_name(variant.codec), "domain", "core"]
        return [self.directory / "target" / name / "classes" for name in names]

    def _command(
        self, variant: Variant, workload: str, flags: Sequence[str] = _RUNNER_FLAGS
    ) -> tuple[str, ...]:
        classes = map(str, self._classes(variant))
        class_path = os.pathsep.join([*classes, self._libraries[variant.codec.name]])
        told = [f"-Dserbench.digest={self._digest(variant.codec)}"]
        told += [f"-Dserbench.flags={flag}" for flag in flags_of(self.edition)]
        cell = cell_class(variant, self.schema(workload))
        return (need("java"), *flags, *told, "-cp", class_path, "serbench.Main", cell)

    def _error_of(self, log: str, codec: Codec) -> str:
        """The reason why a codec's module was not built: the first error in its adapter, in its generated
        sources, or in a module it depends on; empty where it was built."""
        name = module_name(codec)
        if re.search(rf"^\[INFO\] {re.escape(name)} \.+ SUCCESS", log, re.MULTILINE):
            return ""
        places = [
            source_folders(codec),
            [self.directory / each / name for each in ("modules", "target")],
            [self.directory / "generated" / "domain"],
            [self._sources / "core"],
        ]
        for folders in places:
            for line in errors(log):
                if any(line.startswith(f"{folder}{os.sep}") for folder in folders):
                    return line.strip()
        told = (failure(log, module) for module in (name, "domain", "core"))
        return next(filter(None, told), cut_off(log))

    def _built(self, codec: Codec) -> Path:
        """Return the file that holds the digest with which a codec's module was last built."""
        return self.directory / "target" / f"{module_name(codec)}.built"

    def _domain_digest(self) -> str:
        """Return a digest of the generated sources of all domain types."""
        folder = self.directory / "generated" / "domain"
        return sha256_of(*contents(folder, filter(_is_source, folder.rglob("*"))))

    def _digest(self, codec: Codec) -> str:
        """Return a digest that changes with everything that a codec's module is built from."""
        own = self._module(codec)
        domain = [self.directory / "generated" / "domain" / name for name in sorted(workloads_of(own))]
        sources = [
            part
            for folder in (self._sources, *domain, own, *source_folders(codec))
            for part in contents(folder, filter(_is_source, folder.rglob("*")))
        ]
        libraries = self._libraries[codec.name]
        jars = [jar.read_bytes() for jar in _jars(libraries)] if self._version else []
        return sha256_of(libraries, jdk_version(), *sources, *jars)[:16]

    def _resolution_state(self) -> str:
        """Return a digest that changes when Maven could find something else."""
        folder = self.directory / "resolve"
        settings = [os.environ.get(name, "") for name in ("HOME", "JAVA_HOME", "MAVEN_ARGS", "MAVEN_OPTS")]
        projects = contents(folder, folder.rglob("pom.xml"))
        built = [Path(self._version).read_bytes()] if is_path(self._version) else []
        return sha256_of(self._parent.read_bytes(), *projects, *settings, *built)

    def _resolve(self, project: Path, state: str) -> _ResolvedPackages:
        """Ask Maven for every codec's libraries; return each codec's class path, or the libraries that are
        missing."""
        for path in project.parent.glob("*/class_path"):
            path.unlink()
        goals = ["dependency:build-classpath", "-Dmdep.outputFile=class_path", "-U"]
        log = self._run_maven(project, goals, lambda *_: None)
        libraries: dict[str, str] = {}
        found: dict[str, Found] = {}
        for codec in self.codecs:
            path = project.parent / module_name(codec) / "class_path"
            if path.exists():
                files = path.read_text(errors="replace").strip().split(os.pathsep)
                libraries[codec.name] = os.pathsep.join(each for each in files if not each.endswith(".pom"))
                found[codec.name] = Found(True, _library_version(codec), "")
            else:
                missing = unresolved(log, f"resolve-{module_name(codec)}")
                found[codec.name] = Found(False, "", missing)
        (self.directory / "resolve.log").write_text(log)
        return _ResolvedPackages(
            state=state, libraries=libraries, found=found, all=len(libraries) == len(self.codecs)
        )

    def _run_maven(self, project: Path, goals: Sequence[str], progress: Progress) -> str:
        """Run Maven over all modules, even where some fail; return its whole output, or raise BuildError."""
        command = [
            need("mvn"), "--batch-mode", "--fail-at-end", f"--threads={usable_cores()}", f"--file={project}",
            "-Dstyle.color=never", f"-Dserbench.build={self.directory}", *goals,
        ]  # fmt: skip
        lines = []
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=marked_environment()
            | {"MAVEN_OPTS": f"{_COMPILING} {os.environ.get('MAVEN_OPTS', '')}".strip()},
        ) as process:
            assert process.stdout
            for line in process.stdout:
                lines.append(line)
                if step := re.match(r"\[INFO\] Building (\S+) \S+ +\[(\d+)/(\d+)\]", line):
                    progress(int(step[2]), int(step[3]), step[1])
        log = "".join(lines)
        if process.returncode and "Reactor Summary" not in log and "on project" not in log:
            raise BuildError(
                f"Maven could not start on {project}:\n{without_addresses(chr(10).join(errors(log)))}"
            )
        return log


def _library_version(codec: Codec) -> str:
    """Return the version of a codec's library; the JDK's where the library is part of the JDK."""
    dependencies = options_of(codec).dependencies
    version = dependencies[0].split(":", 2)[2] if dependencies else f"JDK {jdk_version()}"
    return version_of_jar(Path(version)) if is_path(version) else version


def _jars(*class_paths: str) -> list[Path]:
    return [Path(each) for class_path in class_paths for each in class_path.split(os.pathsep)]


def _is_source(path: Path) -> bool:
    return path.is_file() and path.suffix not in (".py", ".pyc")
