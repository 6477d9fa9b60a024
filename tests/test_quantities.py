"""Tests of the times and percentages that people type on the command line."""

from __future__ import annotations

import sys

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from serbench.cli.app import app, main, register
from serbench.cli.quantities import percent, seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", 90), ("90s", 90), ("60 s", 60), (" 1.5 ", 1.5), (".5", 0.5), ("5m", 300), ("5min", 300),
        ("1h30m", 5400), ("1h 30m", 5400), ("1 hour 30 minutes", 5400), ("1.5h", 5400), ("2 mins", 120),
        ("500ms", 0.5), ("1d", 86400), ("90S", 90), ("1H30M", 5400), ("1m30", None), ("60x", None),
        ("s", None), ("", None), ("-5", None), ("-5s", None), ("nan", None), ("inf", None), ("1e3", None),
        ("30m1h", None), ("1h1h", None), ("1:30", None), ("1,5h", None), ("9" * 400, None),
        ("5mm", None), ("٣", None),
    ],
)  # fmt: skip
def test_times(text: str, expected: float | None) -> None:
    if expected is None:
        with pytest.raises(typer.BadParameter, match="expected a time in seconds, or as 90s, 5m or 1h30m"):
            seconds(0)(text)
    else:
        assert seconds(0)(text) == pytest.approx(expected)


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59))
def test_hours_minutes_and_seconds_are_added(hours: int, minutes: int, rest: int) -> None:
    assert seconds(0)(f"{hours}h{minutes}m{rest}s") == 3600 * hours + 60 * minutes + rest


def test_a_time_may_be_too_short() -> None:
    with pytest.raises(typer.BadParameter, match=r"found '50ms', expected at least 0\.1 s"):
        seconds(0.1)("50ms")


@pytest.mark.parametrize(
    ("text", "expected"), [("2%", 0.02), ("2 %", 0.02), ("2", 0.02), ("0.5%", 0.005), ("1.5", 0.015)]
)
def test_percentages(text: str, expected: float) -> None:
    assert percent(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.01", "expected 0.01% or 1%"), ("0.5", "expected 0.5% or 50%"), ("0", "expected a percentage"),
        ("100%", "above 0 and below 100"), ("-1%", "above 0"), ("x", "such as 2%"), ("", "such as 2%"),
        ("%", "such as 2%"), ("nan", "such as 2%"), ("2%%", "such as 2%"),
    ],
)  # fmt: skip
def test_what_is_no_percentage_is_refused(text: str, said: str) -> None:
    with pytest.raises(typer.BadParameter, match=said):
        percent(text)


def options_by_metavar(metavar: str) -> list[tuple[str, str]]:
    """The command and the flag of every option whose help shows ``metavar``."""
    register([])
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return [
        (name, option.opts[0])
        for name, command in commands.items()
        for option in command.params
        if option.metavar == metavar
    ]


TIMED, SHARED = options_by_metavar("TIME"), options_by_metavar("PERCENT")


def test_no_option_has_a_way_of_its_own() -> None:
    assert {("run", "--max-time"), ("run", "--time-limit"), ("verify", "--time-limit")} <= {*TIMED}
    assert {("run", "--target"), ("compare", "--threshold")} <= {*SHARED}
    assert not options_by_metavar("SECONDS")


def said_by(words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The error that the command line prints for wrong arguments, on one line."""
    monkeypatch.setattr(sys, "argv", ["serbench", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("command", "flag"), [*TIMED, *SHARED])
def test_every_option_refuses_them_alike(
    command: str, flag: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = "time in seconds, or as" if (command, flag) in TIMED else "percentage above 0"
    said = said_by([command, flag, "1x"], monkeypatch, capsys)
    assert f"'{flag}': found '1x', expected a {kind}" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "--target", "0.01"], "'--target': found '0.01', which may be a percentage or a share"),
        (["verify", "--time-limit", "0s"], "'--time-limit': found '0s', expected at least 0.1 s"),
    ],
)
def test_the_error_tells_what_is_expected(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in said_by(words, monkeypatch, capsys)


def test_a_run_takes_a_time_with_its_unit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "run",
        "--dry-run",
        "--max-time",
        "1m30s",
        "--time-limit",
        "2m",
        "--target",
        "1 %",
        "-c",
        "no/such",
    ]
    assert "no/such" in said_by(words, monkeypatch, capsys)
