"""A process of an agent in the chaos test: threads that call the provider under Weir, and a journal of how each call ended for them."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import weir  # noqa: E402
from weir import _spool  # noqa: E402

# Other processes of this test are dead sooner than others are taken for.
_spool.ADOPTED_AFTER_SECONDS = 1.0
MODEL = "gpt-4o"


def main() -> None:
    logging.getLogger("weir").setLevel(logging.CRITICAL)
    said = json.loads(sys.argv[1])
    journal = open(said["journal"], "a", buffering=1)
    lock = threading.Lock()
    calls = iter(range(said["first"], said["first"] + said["count"]))
    on_unavailable = weir.allow_up_to("0.2", per_call_usd="0.02") if said["allows"] else "deny"
    client = weir.Client(
        api_key=said["key"],
        base_url=said["weir"],
        # A forgetful agent keeps nothing that outlives it.
        spool=None if said["bug"] == "forgetful" else said["spool"],
        spool_limit=said["spool_limit"],
        timeout=2,
        settle_timeout=0.5,
        on_unavailable=on_unavailable,
    )
    provider = httpx.Client(timeout=20)

    def note(call: int, outcome: str) -> None:
        with lock:
            journal.write(json.dumps({"call": call, "outcome": outcome}) + "\n")

    def one(call: int) -> None:
        while not tried(call):
            # The spool has no room, so the call was not made: it waits until Weir has heard of others.
            time.sleep(0.2)

    def tried(call: int) -> bool:
        body = {"model": MODEL, "call": call, "max_tokens": 400, "messages": []}
        try:
            with client.run(model=MODEL, input_tokens=1000, max_output_tokens=400, lease_seconds=4, metadata={"call": call}) as run:
                answer = asked(run, body)
                if answer.status_code == 429:
                    run.release()
                answer.raise_for_status()
                run.usage(answer.json())
            # From here on its exact cost is in the spool, or told.
            note(call, "let_through" if run.id is None else "measured")
        except weir.SpoolFull:
            note(-1, "spool_full")
            return False
        except weir.WeirError as error:
            note(call, type(error).__name__)
        except httpx.HTTPError as error:
            note(call, f"provider {type(error).__name__}")
        return True

    def asked(run: weir.Run, body: dict[str, object]) -> httpx.Response:
        try:
            return provider.post(f"{said['provider']}/v1/chat/completions", json=body)
        except httpx.HTTPError:
            # A gullible agent takes an answer that broke off for one that cost nothing.
            if said["bug"] == "gullible":
                run.release()
            raise

    def work() -> None:
        while True:
            with lock:
                call = next(calls, None)
            if call is None:
                return
            one(call)

    threads = [threading.Thread(target=work) for _ in range(said["threads"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close(5)


if __name__ == "__main__":
    main()
