"""Weir away, answers lost, processes ended, and no room for another end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pytest

import weir
from conftest import PACKAGE, Organization
from fault_proxy import FaultProxy
from weir import _spool

CALL: Any = {"model": "gpt-4o", "input_tokens": 2000, "max_output_tokens": 1000}


class Line:
    """An address of Weir that can be taken away: the proxy before it stops and comes back."""

    def __init__(self, org: Organization) -> None:
        self._proxy = FaultProxy(org.server.base_url, 1)
        self.url = self._proxy.url
        self.proxy = self._proxy

    def lose_every_answer(self) -> None:
        self.proxy.mode, self.proxy.share = "lose", 1

    def mend(self) -> None:
        self.proxy.mode = "pass"


@pytest.fixture
def line(org: Organization) -> Iterator[Line]:
    made = Line(org)
    yield made
    made.proxy.close()


def client_of(org: Organization, url: str, spool: Path | None, **options: Any) -> weir.Client:
    options = {"timeout": 0.5, "settle_timeout": 0.3, **options}
    return weir.Client(api_key=org.agent_key, base_url=url, spool=spool, **options)


def test_without_weir_a_call_is_denied_and_leaves_nothing(org: Organization, tmp_path: Path) -> None:
    with client_of(org, "http://127.0.0.1:9", tmp_path) as client:
        with pytest.raises(weir.Unavailable):
            with client.run(**CALL):
                raise AssertionError("it ran")
        assert client.waiting == 0


def test_a_start_whose_answers_are_lost_is_ended_at_no_cost(org: Organization, line: Line, tmp_path: Path) -> None:
    with client_of(org, line.url, tmp_path) as client:
        line.lose_every_answer()
        with pytest.raises(weir.Unavailable):
            with client.run(**CALL):
                raise AssertionError("it ran")
        assert client.waiting == 1
        line.mend()
        assert client.flush()
    (run,) = org.runs()
    assert (run["status"], run["cost_usd"]) == ("cancelled", "0")


def test_calls_that_are_allowed_without_weir_are_bounded_and_recorded(org: Organization, line: Line, tmp_path: Path) -> None:
    allowance = weir.allow_up_to("0.1", per_call_usd="0.05")
    with client_of(org, line.url, tmp_path, on_unavailable=allowance) as client:
        line.lose_every_answer()
        for _ in range(2):
            with client.run(**CALL, workflow_id="triage") as run:
                assert run.id is None
                run.usage(input_tokens=2000, output_tokens=400)
        with pytest.raises(weir.Unavailable):
            with client.run(**CALL):
                raise AssertionError("it ran")
        assert (allowance.calls, allowance.denied, allowance.taken_usd) == (2, 1, "0.1")
        line.mend()
        assert client.flush()
        assert allowance.taken_usd == "0"
    costs = sorted((str(run["workflow_id"]), run["cost_usd"]) for run in org.runs())
    assert costs == [("None", "0"), ("triage", "0.009"), ("triage", "0.009")]


@pytest.mark.parametrize("amount", ["-1", "NaN", "a lot", "0.0000000001"])
def test_an_allowance_that_bounds_nothing_is_refused(amount: str) -> None:
    with pytest.raises(ValueError):
        weir.allow_up_to(amount, per_call_usd="0.05")
    with pytest.raises(ValueError):
        weir.allow_up_to("1", per_call_usd="0")


def test_an_end_that_was_not_told_is_told_by_the_next_process(
    org: Organization, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "import os, sys, weir\n"
        f"client = weir.Client(timeout=5, settle_timeout=0.1, spool={str(tmp_path)!r})\n"
        "run = client.run(model='gpt-4o', input_tokens=2000, max_output_tokens=1000).begin()\n"
        "print(run.id, flush=True)\n"
        "sys.stdin.readline()\n"
        "run.usage(input_tokens=2000, output_tokens=400)\n"
        "run.end()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    variables = {"WEIR_API_KEY": org.agent_key, "WEIR_BASE_URL": line.url, "PYTHONPATH": str(PACKAGE / "src")}
    process = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, **variables}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    run_id = process.stdout.readline().strip()
    line.proxy.mode, line.proxy.share = "unavailable", 1
    # No request gets further than the proxy, so the end is in the spool alone.
    org.server.pause()
    try:
        process.stdin.write("\n")
        process.stdin.flush()
        process.wait(timeout=60)
    finally:
        org.server.resume()
    line.mend()
    (written,) = tmp_path.glob("*/*.json")
    text = written.read_text()
    assert "0o600" == oct(written.stat().st_mode & 0o777) and org.agent_key not in text
    monkeypatch.setattr(_spool, "ADOPTED_AFTER_SECONDS", 0.0)
    with client_of(org, line.url, tmp_path) as client:
        deadline = time.monotonic() + 60
        while list(tmp_path.glob("*/*.json")):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert client.waiting == 0
    assert (org.run(run_id)["cost_usd"], org.run(run_id)["cost_basis"]) == ("0.009", "computed")


def test_a_full_spool_refuses_new_calls_and_keeps_those_that_run(org: Organization, tmp_path: Path) -> None:
    with client_of(org, org.server.base_url, tmp_path, spool_limit=1, timeout=10, settle_timeout=10) as client:
        with client.run(**CALL) as run:
            with pytest.raises(weir.SpoolFull):
                with client.run(**CALL):
                    raise AssertionError("it ran")
            run.usage(input_tokens=2000, output_tokens=400)
        with client.run(**CALL) as second:
            second.release()
    assert org.run(run.id)["cost_usd"] == "0.009"


def test_where_no_file_can_be_written_ends_are_kept_in_memory(org: Organization, line: Line, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with client_of(org, line.url, tmp_path / "file" / "spool", timeout=10) as client:
        with client.run(**CALL) as run:
            run.usage(input_tokens=2000, output_tokens=400)
            line.lose_every_answer()
        assert client.waiting == 1
        line.mend()
        assert client.flush()
    assert org.run(run.id)["cost_usd"] == "0.009"
