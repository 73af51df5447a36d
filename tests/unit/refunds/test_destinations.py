"""Where money may go instead: who may say so, what proves it, and whose word it needs. A table each."""

from datetime import UTC, datetime, timedelta

import pytest

from refunds.destinations import (
    BACK,
    CODE_LASTS,
    CODE_TRIALS,
    Contact,
    Demand,
    Destination,
    Instrument,
    Verdict,
    code_goes_to,
    code_of,
    demand,
    judge,
    masked,
    needs_second,
)

NOW = datetime(2026, 12, 2, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(hours=24)
PHONE, MAIL = "+49151000001", "ada@example.org"
CREDIT, THEIRS = Destination("store-credit"), Destination("bank", "DE02120300000000202051")


@pytest.mark.parametrize(
    ("instrument", "by_customer", "demanded"),
    [
        (Instrument.ORIGINAL, False, Demand()),
        (Instrument.ORIGINAL, True, None),
        (Instrument.STORE_CREDIT, False, Demand()),
        (Instrument.STORE_CREDIT, True, Demand(code=True)),
        (Instrument.ACCOUNT, False, Demand(code=True, proof=True)),
        (Instrument.ACCOUNT, True, Demand(code=True)),
    ],
)
def test_who_may_set_which_target_and_what_proves_it(instrument, by_customer, demanded) -> None:
    assert demand(instrument, by_customer=by_customer) == demanded


@pytest.mark.parametrize(
    ("contact", "to"),
    [
        (Contact(PHONE, None, MAIL, None), ("sms", PHONE)),
        (Contact(PHONE, NOW - DAY, MAIL, None), ("sms", PHONE)),
        (Contact(PHONE, NOW - HOUR, MAIL, None), ("email", MAIL)),
        (Contact("", NOW - HOUR, MAIL, None), ("email", MAIL)),
        (Contact(PHONE, NOW - HOUR, MAIL, NOW - DAY), ("email", MAIL)),
        (Contact(PHONE, NOW - HOUR, MAIL, NOW - HOUR), None),
        (Contact(PHONE, NOW - DAY + timedelta(seconds=1)), None),
        (Contact(PHONE, NOW - HOUR), None),
        (Contact(), None),
    ],
)
def test_a_code_goes_to_what_has_been_known_for_a_day(contact, to) -> None:
    assert code_goes_to(contact, NOW) == to


@pytest.mark.parametrize(
    ("to", "contact", "changed_at", "needed"),
    [
        ([BACK], Contact(PHONE, NOW - HOUR), None, False),
        ([CREDIT], Contact(PHONE), NOW, False),
        ([CREDIT], Contact(PHONE, NOW - DAY), NOW, False),
        ([CREDIT], Contact(PHONE, NOW - HOUR), NOW, True),
        ([CREDIT], Contact(PHONE, NOW + HOUR), NOW, True),
        ([CREDIT], Contact(PHONE, None, MAIL, NOW - HOUR), NOW, True),
        ([CREDIT], Contact(PHONE, NOW + DAY), NOW, False),
        ([BACK, THEIRS], Contact(PHONE), NOW, True),
    ],
)
def test_another_account_needs_a_second_person_and_so_does_what_changes_with_the_contact(
    to, contact, changed_at, needed
) -> None:
    assert needs_second(to, contact, changed_at) is needed


@pytest.mark.parametrize(
    ("said", "trials", "age", "verdict"),
    [
        ("123456", 0, timedelta(0), Verdict.RIGHT),
        (" 123456 ", CODE_TRIALS - 1, CODE_LASTS - timedelta(seconds=1), Verdict.RIGHT),
        ("123457", 0, timedelta(0), Verdict.WRONG),
        ("", 0, timedelta(0), Verdict.WRONG),
        ("１２３４５６", 0, timedelta(0), Verdict.WRONG),
        ("123457", CODE_TRIALS - 1, timedelta(0), Verdict.SPENT),
        ("123456", 0, CODE_LASTS, Verdict.EXPIRED),
    ],
)
def test_a_code_is_good_for_its_time_and_so_many_trials(said, trials, age, verdict) -> None:
    expires_at = NOW - age + CODE_LASTS
    assert judge(said, "123456", trials=trials, expires_at=expires_at, now=NOW) is verdict


def test_a_code_has_six_digits_and_follows_from_secret_and_salt() -> None:
    codes = {code_of("secret", str(n)) for n in range(200)}
    assert all(len(code) == 6 and code.isdigit() for code in codes) and len(codes) > 195
    assert code_of("secret", "1") == code_of("secret", "1") != code_of("other", "1")


@pytest.mark.parametrize(
    ("reference", "shown"), [("DE02120300000000202051", "***2051"), ("1234567", "***"), ("", "***")]
)
def test_of_a_payee_only_the_end_is_shown(reference, shown) -> None:
    assert masked(reference) == shown
