"""Tests of drawing a sample of messages while all are read once: each is as likely, their order is kept, and
the sample stays within its limit of bytes."""

from __future__ import annotations

from collections import Counter
from math import log

from serbench.imports.sample import MessageSample


def messages(count: int, size: int = 10) -> list[bytes]:
    return [number.to_bytes(size, "big") for number in range(count)]


def drawn_by(sample: MessageSample, given: list[bytes]) -> list[bytes]:
    for message in given:
        if not sample.pass_over(1):
            sample.keep(message)
    return [*sample.messages()]


def test_of_few_messages_all_are_taken_in_their_order() -> None:
    sample = MessageSample(1)
    assert drawn_by(sample, messages(100)) == messages(100)
    assert sample.read == 100


def test_as_many_are_drawn_as_was_asked_for_and_in_their_order() -> None:
    drawn = drawn_by(MessageSample(1, 10), messages(1000))
    assert len(drawn) == 10 and drawn == sorted(drawn)
    assert (
        drawn
        == drawn_by(MessageSample(1, 10), messages(1000))
        != drawn_by(MessageSample(2, 10), messages(1000))
    )


def test_as_many_are_drawn_as_there_is_room_for() -> None:
    assert len(drawn_by(MessageSample(1, most_bytes=1005), messages(5000))) == 100
    assert len(drawn_by(MessageSample(1, most_bytes=5), messages(3))) == 1, (
        "a message that is too large alone is taken"
    )


def test_every_message_is_as_likely() -> None:
    """If 5 of 20 messages are drawn 4,000 times, each is drawn about 1,000 times; the test allows five
    standard deviations of the binomial distribution (27 each)."""
    counted = Counter(each for seed in range(4000) for each in drawn_by(MessageSample(seed, 5), messages(20)))
    assert len(counted) == 20 and all(abs(each - 1000) < 5 * 27.4 for each in counted.values())


def test_what_is_not_drawn_need_not_be_encoded() -> None:
    """To draw 100 of 10,000 messages, the first 100 are encoded, and then ever fewer: 100 (1 + ln 100) are
    expected in all, with a standard deviation of 20."""
    sample = MessageSample(1, 100)
    wanted = 0
    for message in messages(10_000):
        if not sample.pass_over(1):
            wanted += 1
            sample.keep(message)
    assert 100 * (1 + log(100)) - 100 < wanted < 100 * (1 + log(100)) + 100


def test_of_so_many_messages_those_that_will_have_no_room_are_left_at_once() -> None:
    given = messages(100_000, 100)
    for most, most_bytes in ((500, 1 << 26), (None, 50_000)):
        known, unknown = MessageSample(1, most, most_bytes, count=100_000), MessageSample(1, most, most_bytes)
        kept = 0
        for message in given:
            if not known.pass_over(1):
                kept += 1
                known.keep(message)
        assert [*known.messages()] == drawn_by(unknown, given)
        assert kept < 2000, "500 (1 + ln 200) were 3,149"


def test_data_whose_messages_get_smaller_are_still_drawn_evenly() -> None:
    given = [bytes([1]) * 100] * 1000 + [bytes([2])] * 99_000
    drawn = drawn_by(MessageSample(1, None, 20_000, count=100_000), given)
    assert sum(map(len, drawn)) < 20_000
    assert len(drawn) > 100 and sum(message[0] == 1 for message in drawn) < len(drawn) / 20, "one of 100"


def test_many_messages_are_passed_over_as_one_by_one() -> None:
    given = messages(10_000)
    singly, together = MessageSample(1, 100), MessageSample(1, 100)
    at = 0
    while (at := at + together.pass_over(min(470, len(given) - at))) < len(given):
        together.keep(given[at])
        at += 1
    assert [*together.messages()] == drawn_by(singly, given)
    assert together.read == singly.read == 10_000
