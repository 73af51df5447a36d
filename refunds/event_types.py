"""The types of events: all that the feed ever has, and a webhook can ask for. Pure."""

#: By what they are about.
_BY_SUBJECT = {
    "carrier": "claim_due proof_given proof_missing proof_requested",
    "case": "evidence message",
    "dispute": "lost opened won",
    "gateway_refund": (
        "cancelled exchanged external failed intended not_done not_there pending released replaced reversed "
        "still_held succeeded surplus surplus_ended unanswered"
    ),
    "goods": "disposed",
    "incident": "closed",
    "intercept": "accepted refused",
    "pickup": (
        "booked cancelled collected corrected in_transit intended labelled lost missed no_show rebooked "
        "received refused surplus"
    ),
    "refund": (
        "acknowledged assigned awaiting_return box_inspected box_received cancel_dropped cancel_requested "
        "cancelled contested credit_note_issued delivered_after_refund drop_off_chosen expired "
        "external_recorded failed goods_received held in_review inspected inspecting offered parcel_doubted "
        "parcel_matched partially_refunded policy_changed refunded refunding rejected remedy_set reminded "
        "reopened replaced replacement_overdue replacement_wanted requested rerouted resumed second_approved "
        "second_bypassed shipped_after_refund"
    ),
    "shipment": (
        "arrival_confirmed assumed_delivered delivered intercepting left lost refused returned returning "
        "stop_requested stopped"
    ),
    "target": "asked code_refused set",
}
EVENT_TYPES = frozenset(f"{about}.{what}" for about, words in _BY_SUBJECT.items() for what in words.split())
