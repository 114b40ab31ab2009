"""The small form of the chaos test; `python3 tests/chaos.py` is the long one."""

from __future__ import annotations

from chaos import FAULTS, storm
from conftest import Server


def test_what_is_billed_is_booked_while_everything_fails(server: Server) -> None:
    outcome = storm(server, 160, processes=3)
    assert outcome.wrong == [], outcome.text()
    assert outcome.billed == outcome.booked and outcome.exact > 50, outcome.text()
    assert outcome.ends["spool_full"] > 0, outcome.text()
    assert set(FAULTS) - {"kill_caller"} <= set(outcome.faults), outcome.text()
