"""Tests of the chart of a history, as a picture and on the page, and that an interrupted history has all of
it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from tests.test_history import DESERIALIZE, RELEASES, SERIALIZE, history

import serbench.cli.history as command
import serbench.cli.measuring as measuring
from serbench.cli.ends import Interrupted
from serbench.cli.plot import _drawings
from serbench.cli.timing import timed
from serbench.languages.releases import Release
from serbench.measure.store import find_run
from serbench.page.parts import finding_html
from serbench.report.charts.pixels import png_of
from serbench.report.charts.releases import Releases, releases_of, svg
from serbench.report.history import History
from serbench.report.kept import history_of, keep_history

EFFECTS = {"1.0": 1.0, "1.1": 1.0, "1.2": 1.3, "1.10": 1.0}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(name="made")
def made_up(tmp_path: Path) -> History:
    return history(tmp_path, EFFECTS)


def only(found: History) -> Releases:
    (chart,) = releases_of(found)
    return chart


def said_of_dots(chart: Releases) -> list[str]:
    """The text of each dot of a chart."""
    return [
        each.findtext(f"{SVG}title", "") for each in ElementTree.fromstring(svg(chart)).iter(f"{SVG}circle")
    ]


def test_a_chart_has_a_dot_for_each_version_with_times_and_a_band(made: History) -> None:
    said = said_of_dots(only(made))
    assert len(said) == 2 * len(EFFECTS), "0.9 has no times"
    changed = [each.partition(":")[0] for each in said if "slower" in each or "faster" in each]
    assert changed == ["1.2", "1.10"]
    drawn = ElementTree.fromstring(svg(only(made)))
    texts = ["".join(each.itertext()) for each in drawn.iter(f"{SVG}text")]
    assert any(each.startswith(f"{SERIALIZE}: ×1 is ") for each in texts)
    assert "0.9 (no times)" in texts and "1.2 2026-06-30" in texts and "bytes of a message" in texts
    points = [each.get("points", "").split() for each in drawn.iter(f"{SVG}polygon")]
    assert [len(each) for each in points] == [2 * len(EFFECTS)] * 2
    heights = [float(each.split(",")[1]) for each in points[1]]
    assert len(set(heights)) > 2, f"the intervals of {DESERIALIZE} have a height"


def test_a_version_without_times_breaks_the_line_and_names_are_no_markup(made: History) -> None:
    whole = only(made)
    cut = {
        name: [replace(each, time=None) if each.release.version == "1.1" else each for each in points]
        for name, points in whole.points.items()
    }
    cut[SERIALIZE][0] = replace(cut[SERIALIZE][0], release=Release("<b>&"))
    drawn = ElementTree.fromstring(svg(replace(whole, points=cut)))
    assert len(list(drawn.iter(f"{SVG}polyline"))) == 2 * 2
    assert any("<b>&" in "".join(each.itertext()) for each in drawn.iter(f"{SVG}text"))


def test_pictures_and_the_page_have_the_chart(made: History) -> None:
    keep_history(made)
    ((name, drawn),) = _drawings(made.runs[0], None)
    picture = drawn()
    assert name == "w-x-one-history" and isinstance(picture, str)
    assert png_of(picture).startswith(b"\x89PNG")
    page = "".join(finding_html(made.runs[0]))
    assert svg(only(made), alone=False) in page and "slower since 1.2" in page
    assert 'fill="white"' not in page, "the page has a background of its own"
    assert not list(releases_of(replace(made, runs=[history(made.runs[0].directory, {"1.0": 1.0}).runs[0]])))


def test_an_interrupted_history_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERBENCH_HOME", str(tmp_path))
    monkeypatch.setattr(command, "releases", lambda *_: RELEASES)
    built = [SimpleNamespace(compiler=each.version, status="ok", failure="") for each in RELEASES]
    monkeypatch.setattr(command, "build_units", lambda job: (job, built))
    monkeypatch.setattr(command, "claim_core", lambda core, *_: core)
    # No version is built, so that no unit can be verified.
    monkeypatch.setattr(command, "timed", lambda job, _, *more: timed(job, [], *more))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "execute", interrupted)
    with pytest.raises(Interrupted):
        command.history("python/orjson", command.Which(last=3), workload=["record"], quick=True)
    found = history_of(find_run(tmp_path / "runs", None))
    assert found and found.codec == "python/orjson" and found.releases == RELEASES[-3:]
