"""Real parts for tests: Weir as a process, and a provider that keeps books."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

import httpx
import pytest

PACKAGE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE / "src"))
sys.path.insert(0, str(PACKAGE / "tests"))

import weir  # noqa: E402
from practice import Provider  # noqa: E402


class Server:
    """Weir as a process, which a test may kill, pause and start again."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [os.environ.get("NODE", "node"), str(PACKAGE / "scripts" / "weir.ts")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        said = self._heard()
        self.base_url = str(said["base_url"])
        self.pid = int(said["pid"])
        self.operator_key = str(said["operator_key"])

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("Weir did not start")
        return dict(json.loads(line))

    def tell(self, command: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        said = self._heard()
        self.pid = said.get("pid", self.pid)
        return said

    def kill(self) -> None:
        self.tell("kill")

    def start(self) -> None:
        self.tell("start")

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)


class Organization:
    """An organization with one budget, its owner, and a key of an agent."""

    def __init__(self, server: Server, budget_usd: str | None = None) -> None:
        self.server = server
        made = self.call("POST", "/v1/admin/orgs", {"name": f"sdk {secrets.token_hex(4)}"}, server.operator_key)
        self.id = str(made["id"])
        self.owner_key = str(made["owner_key"]["secret"])
        self.agent_key = self.key("runs:write", "runs:import")
        if budget_usd is not None:
            self.budget(budget_usd)

    def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        headers = {"authorization": f"Bearer {key or self.owner_key}"}
        answer = httpx.request(method, self.server.base_url + path, json=body, headers=headers, timeout=60)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def key(self, *scopes: str) -> str:
        body = {"name": "agent", "role": "service", "scopes": list(scopes)}
        return str(self.call("POST", f"/v1/orgs/{self.id}/keys", body)["secret"])

    def budget(self, limit_usd: str) -> str:
        body = {"name": "all", "scope_kind": "org", "limit_usd": limit_usd, "period": "year"}
        return str(self.call("POST", f"/v1/orgs/{self.id}/budgets", body)["id"])

    def budgets(self) -> list[dict[str, Any]]:
        return list(self.call("GET", f"/v1/orgs/{self.id}/budgets")["data"])

    def run(self, run_id: str | None) -> dict[str, Any]:
        return dict(self.call("GET", f"/v1/runs/{run_id}"))

    def runs(self) -> list[dict[str, Any]]:
        with weir.Client(api_key=self.owner_key, base_url=self.server.base_url, spool=None) as client:
            return list(client.pages("/runs", limit=200))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.close()


@pytest.fixture
def org(server: Server) -> Organization:
    return Organization(server)


@pytest.fixture
def client(org: Organization, tmp_path: Path) -> Iterator[weir.Client]:
    with weir.Client(api_key=org.agent_key, base_url=org.server.base_url, spool=tmp_path / "spool") as made:
        yield made


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    with Provider() as started:
        yield started
