"""Writes the generated sources of the JVM's cells, and the Maven projects that resolve and build them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from serbench.codecs.codec import Codec
from serbench.codecs.edition import is_path
from serbench.codegen.words import package
from serbench.idl import emit as emit_idl
from serbench.languages.jvm.canonical import canonical_source
from serbench.languages.jvm.domain import cell_source, domain_source
from serbench.languages.jvm.options import options_of, source_folders
from serbench.languages.running import write_folder
from serbench.model.names import pascal
from serbench.system.files import write_if_changed
from serbench.workload import Workload

RUNTIME = ("org.scala-lang:scala-library:${scala.version}", "org.openjdk.jmh:jmh-core:${jmh.version}")
"""The artifacts on the class path of every module. They stand before the module's own libraries, so that
their versions are taken, whatever others these ask for."""


def module_name(codec: Codec) -> str:
    """Return the name of a codec's Maven module."""
    return f"codec-{codec.name}"


def write_domain(directory: Path, workloads: Iterable[Workload]) -> None:
    """Write the domain types of ``workloads`` into one source folder; a file whose text stays the same is not
    touched."""
    texts: dict[Path, str] = {}
    for workload in workloads:
        schema = workload.schema.plain()
        texts[directory / workload.name / "types.scala"] = domain_source(schema)
        texts[directory / workload.name / "canonical.scala"] = canonical_source(schema)
    write_folder(directory, texts)


def write_codec(directory: Path, codec: Codec, workloads: Iterable[Workload], parent: Path) -> None:
    """Write a codec's module below ``directory``: its project, and ``sources`` with glue and a cell per
    variant for each of ``workloads`` that the codec can do.

    ``parent`` is the project that all modules share.
    """
    sources: dict[Path, str] = {}
    idl: dict[Path, str] = {}
    for workload in workloads:
        variants = [variant for variant in codec.variants.values() if not variant.why_not(workload.schema)]
        if not variants:
            continue
        schema = codec.glue.seen(workload.schema)
        glue = codec.glue.emit(schema) if codec.glue.emit else ""
        if glue:
            sources[directory / "sources" / workload.name / "Glue.scala"] = glue
        if codec.idl:
            file = codec.idl.file.format(workload=package(schema))
            idl[directory / "idl" / file] = emit_idl(codec.idl.language, schema)
        for variant in variants:
            path = directory / "sources" / workload.name / f"{pascal(variant.name)}.scala"
            sources[path] = cell_source(variant, workload.schema.plain(), glue)
    write_folder(directory / "sources", sources)
    write_folder(directory / "idl", idl)
    write_if_changed(directory / "pom.xml", _codec_project(directory, codec, parent))


def workloads_of(directory: Path) -> set[str]:
    """Return the names of the workloads that the module below ``directory`` has sources for."""
    sources = directory / "sources"
    return {path.name for path in sources.iterdir() if any(path.iterdir())} if sources.exists() else set()


def write_resolution(directory: Path, codecs: Iterable[Codec], parent: Path) -> Path:
    """Write Maven projects that look for libraries and build nothing, one for each codec, so that a library
    that is not found stops no other codec; return the project around all of them."""
    modules = {module_name(codec): codec for codec in codecs}
    for name, codec in modules.items():
        body = f"<packaging>pom</packaging>\n{_dependencies([*RUNTIME, *options_of(codec).dependencies])}"
        write_if_changed(
            directory / name / "pom.xml", _project(directory / name, parent, f"resolve-{name}", body)
        )
    return _aggregate(directory, parent, "resolve", modules)


def write_build(directory: Path, modules: Sequence[str], parent: Path) -> Path:
    """Write the project around all modules: the runner, the domain types, and those of codecs below
    ``directory``; return it."""
    shared = [os.path.relpath(parent.parent / name, directory) for name in ("core", "domain")]
    return _aggregate(directory, parent, "build", [*shared, *modules])


def _aggregate(directory: Path, parent: Path, name: str, modules: Iterable[str]) -> Path:
    listed = "\n".join(f"  <module>{escape(module)}</module>" for module in modules)
    body = f"<packaging>pom</packaging>\n<modules>\n{listed}\n</modules>"
    path = directory / "pom.xml"
    write_if_changed(path, _project(directory, parent, name, body))
    return path


def _codec_project(directory: Path, codec: Codec, parent: Path) -> str:
    options = "".join(f"<arg>{escape(option)}</arg>" for option in options_of(codec).scalac)
    plugins = codec.directory / "plugins.xml"
    own = plugins.read_text() if plugins.exists() else ""
    versions = (each.split(":", 2)[2] for each in options_of(codec).dependencies)
    library = next((each for each in versions if not is_path(each)), "")
    version = f"\n  <serbench.version>{escape(library)}</serbench.version>" if own else ""
    folders = "".join(f"<source>{escape(str(folder))}</source>" for folder in source_folders(codec))
    body = f"""<properties>
  <serbench.codec>{escape(str(codec.directory))}</serbench.codec>
  <serbench.idl>${{project.basedir}}/idl</serbench.idl>
  <serbench.generated>${{project.build.directory}}/generated-sources/idl</serbench.generated>{version}
</properties>
{_dependencies(["serbench:domain:1", *RUNTIME, *options_of(codec).dependencies])}
<build>
  <sourceDirectory>${{project.basedir}}/sources</sourceDirectory>
  <plugins>
    <plugin>
      <groupId>org.codehaus.mojo</groupId>
      <artifactId>build-helper-maven-plugin</artifactId>
      <executions>
        <execution>
          <id>adapter</id>
          <phase>generate-sources</phase>
          <goals><goal>add-source</goal></goals>
          <configuration>
            <sources>{folders}<source>${{serbench.generated}}</source></sources>
          </configuration>
        </execution>
      </executions>
    </plugin>
    <plugin>
      <groupId>net.alchim31.maven</groupId>
      <artifactId>scala-maven-plugin</artifactId>
      <configuration><args combine.children="append">{options}</args></configuration>
    </plugin>
{own}
  </plugins>
</build>"""
    return _project(directory, parent, module_name(codec), body)


def _project(directory: Path, parent: Path, name: str, body: str) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- Generated by serbench. -->
<project>
<modelVersion>4.0.0</modelVersion>
<parent>
  <groupId>serbench</groupId>
  <artifactId>jvm</artifactId>
  <version>1</version>
  <relativePath>{escape(os.path.relpath(parent, directory))}</relativePath>
</parent>
<artifactId>{name}</artifactId>
{body}
</project>
"""


def _dependencies(names: Iterable[str]) -> str:
    """Return the list of dependencies. The artifact of a jar that was built here comes without its own jar:
    only what it needs counts."""
    lines, built = [], set()
    for name in names:
        group, artifact, version = name.split(":", 2)
        more = "<type>pom</type>" if (group, artifact) in built else ""
        if is_path(version):
            built.add((group, artifact))
            more = f"<scope>system</scope><systemPath>{escape(version)}</systemPath>"
            version = "built-here"
        lines.append(
            f"  <dependency><groupId>{escape(group)}</groupId><artifactId>{escape(artifact)}</artifactId>"
            f"<version>{escape(version)}</version>{more}</dependency>"
        )
    return "\n".join(["<dependencies>", *lines, "</dependencies>"])
