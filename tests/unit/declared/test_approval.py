"""What the approval of a loosened policy says, judged in its order."""

import pytest

from refunds.declared.approval import Word, judge, opens

URL = "https://tickets.example/REF-7"


@pytest.mark.parametrize(
    ("word", "status", "reason", "opened"),
    [
        (None, "False", "Missing", False),
        (Word("", "principal:2", 3), "False", "Missing", False),
        (Word(URL, "principal:2", 2), "False", "Missing", False),
        (Word("unapproved: one-person shop", "principal:2", 3), "False", "Bypassed", True),
        (Word("unapproved, https://tickets.example/1", "principal:1", 3), "False", "Bypassed", True),
        (Word(URL, "principal:2", 3), "True", "Approved", True),
        (Word(URL, "principal:1", 3), "False", "Invalid", False),
        (Word("fine by me", "principal:2", 3), "False", "Invalid", False),
        (Word("tickets.example/1", "principal:2", 3), "False", "Invalid", False),
        (Word("https://", "principal:2", 3), "False", "Invalid", False),
        (Word("javascript:alert(1)", "principal:2", 3), "False", "Invalid", False),
        (Word("unapproved", "principal:2", 3), "False", "Invalid", False),
        (Word("unapproved:  ", "principal:2", 3), "False", "Invalid", False),
        (Word("https://[::1", "principal:2", 3), "Unknown", "Unknown", False),
    ],
)
def test_what_an_approval_says_is_judged_in_its_order(
    word: Word | None, status: str, reason: str, opened: bool
) -> None:
    """Check 61 (TestCalculateCondition, TestAPIApproval)."""
    said = judge(word, is_protected=True, generation=3, applied_by="principal:1")
    assert said is not None
    assert (said.type, said.status, said.reason, opens(said)) == ("ApprovalConformant", status, reason, opened)


def test_what_loosens_nothing_needs_nobody() -> None:
    assert judge(None, is_protected=False, generation=1, applied_by="a") is None
    assert opens(None)


def test_a_bypass_quotes_why() -> None:
    said = judge(Word("unapproved: one-person shop", "principal:2", 1), is_protected=True, generation=1, applied_by="x")
    assert said is not None and "one-person shop" in said.message and "principal:2" in said.message
