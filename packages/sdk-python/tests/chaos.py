"""
Calls of many processes while everything around them fails: `python3 tests/chaos.py --count 10000`. Afterwards the books of the provider and those
of Weir are compared to the nano-dollar. They differ with `--bug forgetful` or `--bug gullible`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "src"))

import weir  # noqa: E402
from conftest import Organization, Server  # noqa: E402
from fault_proxy import FaultProxy  # noqa: E402
from practice import Provider, Script  # noqa: E402
from weir import _spool  # noqa: E402

INPUT, OUTPUT = Decimal("0.0000025"), Decimal("0.00001")
"""Prices of gpt-4o for one token."""

BUGS = ("forgetful", "gullible")
"""Faults of the agent that the books must show."""

FAULTS = ("slow", "unavailable", "lose", "pause", "kill_server", "kill_caller")


@dataclass
class Outcome:
    """What the books say in the end."""

    calls: int
    ends: Counter[str]
    faults: Counter[str]
    billed: Decimal = Decimal(0)
    booked: Decimal = Decimal(0)
    exact: int = 0
    estimated: int = 0
    free: int = 0
    wrong: list[str] = field(default_factory=list)

    def text(self) -> str:
        return (
            f"{self.calls} calls: {self.exact} exact, {self.estimated} estimated, {self.free} free; "
            f"for the exact ones billed ${self.billed}, booked ${self.booked}\n"
            f"ends {dict(self.ends)}\nfaults {dict(self.faults)}\nwrong {self.wrong[:10]}"
        )


def script_for(chance: random.Random) -> Script:
    """How the provider answers one call: mostly well, and at times in each way that leaves its cost in doubt."""
    made = Script(first_seconds=chance.uniform(0, 0.1), input=chance.randint(1, 1000), pieces=chance.randint(1, 400))
    dice = chance.random()
    if dice < 0.04:
        made.status = 429
    elif dice < 0.08:
        made.status = 500
    elif dice < 0.12:
        made.break_after = 0
    elif dice < 0.14:
        made.first_seconds = 6.0
    return made


class Chaos:
    def __init__(self, server: Server, count: int, seed: int, processes: int, threads: int, folder: Path, bug: str | None) -> None:
        self._server, self._count, self._folder = server, count, folder
        self._org = Organization(server, "100000")
        self._proxy = FaultProxy(server.base_url, seed)
        self._random = random.Random(seed)
        self._faults: Counter[str] = Counter()
        self._threads = threads
        self._bug = bug
        self._callers: list[tuple[subprocess.Popen[bytes], list[int]]] = []
        self._processes = processes
        self._next_call = 0
        self._lock = threading.Lock()

    def run(self) -> Outcome:
        with Provider() as provider:
            lock = threading.Lock()

            def decide(_: dict[str, Any]) -> Script:
                with lock:
                    return script_for(self._random)

            provider.decide = decide
            self._storm(provider)
            self._calm()
            self._proxy.close()
            return self._judged(provider)

    def _storm(self, provider: Provider) -> None:
        running: list[subprocess.Popen[bytes]] = []
        faults = itertools.cycle(FAULTS)
        next_fault = time.monotonic() + 1
        while self._next_call < self._count or running:
            running = [one for one in running if one.poll() is None]
            while self._next_call < self._count and len(running) < self._processes:
                running.append(self._start(provider))
            if time.monotonic() >= next_fault:
                self._cause(next(faults), running)
                next_fault = time.monotonic() + 0.5
            time.sleep(0.05)
        while set(FAULTS) - {"kill_caller"} - set(self._faults):
            # A short storm may end before its last fault.
            self._cause(next(faults), [])

    def _start(self, provider: Provider) -> subprocess.Popen[bytes]:
        # A process that is killed takes the rest of its calls with it, so none has many.
        count = min(max(10, min(40, self._count // (self._processes * 4))), self._count - self._next_call)
        said = {
            "key": self._org.agent_key, "weir": self._proxy.url, "provider": provider.url, "spool": str(self._folder / "spool"),
            "journal": str(self._folder / "journal"), "first": self._next_call, "count": count, "threads": self._threads,
            "spool_limit": self._threads + 3, "allows": self._next_call // count % 2 == 1, "bug": self._bug,
        }  # fmt: skip
        self._next_call += count
        return subprocess.Popen([sys.executable, str(HERE / "chaos_caller.py"), json.dumps(said)])

    def _cause(self, fault: str, running: list[subprocess.Popen[bytes]]) -> None:
        if fault == "kill_caller":
            if not running:
                return
            self._random.choice(running).kill()
        elif fault == "pause":
            self._server.pause()
            time.sleep(2.5)
            self._server.resume()
        elif fault == "kill_server":
            self._server.kill()
            time.sleep(0.5)
            self._server.start()
        else:
            self._proxy.mode = fault
            time.sleep(1.0)
            self._proxy.mode = "pass"
        self._faults[fault] += 1

    def _calm(self) -> None:
        """Lets a last process tell what is left, and the leases of calls without one end."""
        _spool.ADOPTED_AFTER_SECONDS = 0.0
        # What is spooled belongs to the address and the key that it was begun with.
        with weir.Client(api_key=self._org.agent_key, base_url=self._proxy.url, spool=self._folder / "spool") as client:
            deadline = time.monotonic() + 120
            while True:
                client._core.spool.adopt()
                is_told = client.flush(10) and client.waiting == 0
                held = [one["held_usd"] for one in self._org.budgets()]
                if is_told and held == ["0"]:
                    return
                if time.monotonic() > deadline:
                    return
                time.sleep(0.5)

    def _judged(self, provider: Provider) -> Outcome:
        noted = [json.loads(line) for line in (self._folder / "journal").read_text().splitlines()]
        ends = {one["call"]: one["outcome"] for one in noted if one["call"] >= 0}
        outcome = Outcome(self._count, Counter(one["outcome"] for one in noted), self._faults)
        outcome.faults.update({f"answers {name}": count for name, count in self._proxy.faults.items()})
        runs: dict[int, list[dict[str, Any]]] = {}
        total = Decimal(0)
        for run in self._org.runs():
            runs.setdefault(run["metadata"]["call"], []).append(run)
            if run["status"] == "running":
                outcome.wrong.append(f"run {run['id']} is still running")
            else:
                total += Decimal(run["cost_usd"])
        billed = self._billed(provider)
        for call, amount in billed.items():
            self._compare(outcome, call, amount, runs.get(call, []), ends.get(call))
        for call in runs.keys() - billed.keys():
            self._unbilled(outcome, call, runs[call], ends.get(call))
        (budget,) = self._org.budgets()
        if budget["held_usd"] != "0":
            outcome.wrong.append(f"${budget['held_usd']} is still held")
        if outcome.exact < self._count / 2:
            outcome.wrong.append(f"only {outcome.exact} of {self._count} calls ended with an exact cost: the storm shows too little")
        if Decimal(budget["spent_usd"]) != total:
            outcome.wrong.append(f"the budget has ${budget['spent_usd']}, the runs cost ${total}")
        return outcome

    @staticmethod
    def _billed(provider: Provider) -> dict[int, Decimal]:
        billed: dict[int, Decimal] = {}
        for entry in provider.entries:
            if entry.state != "refused":
                billed[entry.body["call"]] = billed.get(entry.body["call"], Decimal(0)) + entry.input * INPUT + entry.output * OUTPUT
        return billed

    @staticmethod
    def _compare(outcome: Outcome, call: int, billed: Decimal, runs: list[dict[str, Any]], end: str | None) -> None:
        booked = sum((Decimal(run["cost_usd"] or 0) for run in runs), Decimal(0))
        if end in ("measured", "let_through"):
            outcome.exact += 1
            outcome.billed += billed
            outcome.booked += booked
            if booked != billed:
                outcome.wrong.append(f"call {call} ({end}): billed ${billed}, booked ${booked} {[run['status'] for run in runs]}")
        elif end is None and not runs:
            # Its process was killed in the middle of a call that it had let through without a decision.
            outcome.ends["killed without a decision"] += 1
        else:
            outcome.estimated += 1
            if booked < billed:
                outcome.wrong.append(f"call {call} ({end}): billed ${billed}, booked only ${booked}")

    @staticmethod
    def _unbilled(outcome: Outcome, call: int, runs: list[dict[str, Any]], end: str | None) -> None:
        booked = sum((Decimal(run["cost_usd"] or 0) for run in runs), Decimal(0))
        if end is None:
            # Killed between the hold and the provider: nobody knows, so it costs what was held.
            outcome.estimated += 1
            return
        outcome.free += 1
        if booked != 0:
            outcome.wrong.append(f"call {call} ({end}): never billed, booked ${booked}")


def storm(server: Server, count: int, seed: int = 1, processes: int = 4, threads: int = 4, bug: str | None = None) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        return Chaos(server, count, seed, processes, threads, Path(folder), bug).run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bug", choices=BUGS)
    options = parser.parse_args()
    server = Server()
    try:
        made = storm(server, options.count, options.seed, bug=options.bug)
    finally:
        server.close()
    print(made.text())
    sys.exit(1 if made.wrong else 0)
