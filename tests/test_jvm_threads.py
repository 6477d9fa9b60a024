"""Tests of several threads on the JVM: which objects of a library they share."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support import PATHS, all_workloads, small_spec

from serbench.dataset.cache import dataset_for
from serbench.dataset.edits import edits_beside
from serbench.languages.jvm.build import JvmBuild
from serbench.measure.judging import Judge
from serbench.selecting.catalogue import load_variants

MISSING = [program for program in ("java", "javac", "mvn") if not shutil.which(program)]

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(bool(MISSING), reason=f"no program {' or '.join(MISSING)} on the path"),
]


def test_threads_share_no_objects_of_a_library_unless_they_are_told_to(tmp_path: Path) -> None:
    """Kryo allows one thread alone: two that share one break each other's messages, or crash the JVM."""
    variants = load_variants(PATHS.codecs)
    variant = variants["jvm/kryo"]
    codecs = {each.codec.id: each.codec for each in variants.values() if each.codec.language == "jvm"}
    # With all codecs and workloads, as other tests have them, so that Maven need not look again.
    build = JvmBuild(PATHS, list(codecs.values()), list(all_workloads().values()))
    build.configure()
    if missing := build.found["kryo"].missing:
        pytest.skip(f"{variant.id}: {missing}")
    assert not build.build([(variant, "monsters")], lambda *_: None)
    held, command = dataset_for(small_spec("monsters"), PATHS), build.command(variant, "monsters")
    data, edits = str(held.path), str(edits_beside(held))
    judge = Judge(command, data, edits, variant.tolerance, 60)
    words = ["--samples", "1", "--warmup-ns", "1", "--place", "7", "--dataset", data, "--edits", edits]
    words += ["--cells", "roundtrip:reuse"]
    for own in (["--threads", "2"], ["--threads", "1", "--shared", "true"]):
        left, threads = tmp_path / own[1], int(own[1])
        asked = [*command, "measure", *words, *own, "--left", str(left)]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        _, sample, last = (json.loads(line) for line in done.stdout.splitlines())
        assert sample["threads"] == sample["left"] == threads and last["event"] == "done"
        assert judge.differing(left, {"roundtrip:reuse": 3 * threads}) == []  # with two warm-ups
