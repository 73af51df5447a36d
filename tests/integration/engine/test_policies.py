"""A policy whose rules nobody could follow is refused where it is stored."""

import pytest

from refunds.models import PolicyVersion
from refunds.policy import BUILT_IN, WORDS, PolicySpec

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("rule", WORDS)
def test_a_rule_that_nobody_knows_is_not_stored(rule: str) -> None:
    with pytest.raises(ValueError, match=f"{rule} is one of"):
        PolicyVersion.objects.create(name="odd", generation=1, spec={rule: "sometimes"})
    assert not PolicyVersion.objects.filter(name="odd").exists()


@pytest.mark.parametrize("rule", WORDS)
def test_each_word_that_is_known_is_stored(rule: str) -> None:
    for generation, word in enumerate(WORDS[rule]):
        stored = PolicyVersion.objects.create(name="good", generation=generation, spec={rule: word})
        assert getattr(PolicySpec.from_json(stored.spec), rule) == word
    assert getattr(BUILT_IN, rule) in WORDS[rule]
