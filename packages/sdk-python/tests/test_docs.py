"""The guide to this package, followed word by word."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PACKAGE, Organization
from practice import Provider, Script

GUIDE = (PACKAGE.parent.parent / "docs" / "sdk-python.md").read_text()
BLOCKS = [code for code in re.findall(r"^```python\n(.+?)^```", GUIDE, re.S | re.M) if not code.startswith("# needs")]
TITLES = [re.findall(r"^## (.+)$", GUIDE[: GUIDE.index(code)], re.M)[-1] for code in BLOCKS]
NAMES = [f"{title.lower().replace(' ', '-').replace(',', '')}-{i}" for i, title in enumerate(TITLES)]


def followed(code: str, org: Organization, provider: Provider, folder: Path) -> str:
    provider.script = Script()
    recorded = [] if importlib.util.find_spec("openai") and importlib.util.find_spec("anthropic") else [str(PACKAGE / "tests" / "recorded")]
    variables = {
        "WEIR_API_KEY": org.agent_key,
        "WEIR_BASE_URL": org.server.base_url,
        "WEIR_SPOOL": str(folder),
        "OPENAI_BASE_URL": f"{provider.url}/v1",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": provider.url,
        "ANTHROPIC_API_KEY": "none",
        "PYTHONPATH": os.pathsep.join([str(PACKAGE / "src"), *recorded]),
    }
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


# The first two are run below.
@pytest.mark.parametrize("code", BLOCKS[2:], ids=NAMES[2:])
def test_each_program_of_the_guide_runs(code: str, org: Organization, provider: Provider, tmp_path: Path) -> None:
    followed(code, org, provider, tmp_path)
    calls = [run for run in org.runs() if run["cost_basis"] == "computed"]
    makes_calls = "usage(" in code or "create(" in code
    assert bool(calls) == makes_calls


def test_the_quickstart_has_five_lines_and_the_agent_at_most_twelve(org: Organization, provider: Provider, tmp_path: Path) -> None:
    quickstart, agent = BLOCKS[:2]
    assert len([line for line in quickstart.splitlines() if line.strip()]) == 5
    assert len([line for line in agent.splitlines() if line.strip()]) <= 12
    assert followed(quickstart, org, provider, tmp_path).strip() == "the quick brown"
    assert followed(agent, org, provider, tmp_path).strip() == "the quick brown"
    assert sorted(str(run["customer_id"]) for run in org.runs()) == ["None", "customer-17", "customer-17"]
    assert {run["cost_basis"] for run in org.runs()} == {"computed"}


def test_a_budget_stops_the_agent_of_the_guide(org: Organization, provider: Provider, tmp_path: Path) -> None:
    org.budget("0")
    provider.entries.clear()
    with pytest.raises(AssertionError, match="402|Weir: "):
        followed(BLOCKS[1], org, provider, tmp_path)
    assert provider.entries == []
    errors = BLOCKS[TITLES.index("Errors")]
    assert followed(errors, org, provider, tmp_path).startswith("room for None tokens of 0")
