from __future__ import annotations

import json

from epee.report.schemas import faults, schema_of


def test_cards_follow_their_schema(cards):
    for card in cards.values():
        assert faults(card, schema_of(card["task"])) == []


def test_a_wrong_card_is_told(cards):
    card = json.loads(json.dumps(cards["explored", "en"]))
    card["rows"]["read"] = "many"
    del card["missing"]
    card["columns"][0]["kind"] = "nonsense"
    card["unknown"] = 1
    said = " ".join(faults(card, schema_of("exploration")))
    assert (
        "card.rows.read" in said and "card has no missing" in said and "columns[0].kind" in said and "unknown" in said
    )
