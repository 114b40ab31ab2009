"""The package as it is shipped: typed, and a wheel that works in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PACKAGE, Organization

CONFIG = str(PACKAGE / "pyproject.toml")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def mypy(cache: Path, *parameters: str, cwd: Path = PACKAGE) -> str:
    # Debian's, which sees Debian's packages alone: sources of newer ones make it fail.
    command = ["/usr/bin/python3", "-m", "mypy", "--config-file", CONFIG, "--cache-dir", str(cache), *parameters]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE / "src")})
    return done.stdout + done.stderr


def test_the_package_is_strictly_typed(cache: Path) -> None:
    assert "Success" in mypy(cache)


NARROWING = """
import weir

def limit_of(error: weir.ApiError) -> str:
    fault = error.fault
    if fault is not None and fault.code == "{code}":
        return fault.details["{field}"]
    return ""

def start(client: weir.Client) -> None:
    client.run(model="gpt-4o", {option}=5)
"""

USES: list[tuple[str, str, str, str | None]] = [
    ("budget_exceeded", "limit_usd", "input_tokens", None),
    ("budget_exceeded", "cap_usd", "input_tokens", 'has no key "cap_usd"'),
    ("spend_cap_exceeded", "cap_usd", "input_tokens", None),
    ("spend_cap_exceeded", "limit_usd", "input_tokens", 'has no key "limit_usd"'),
    ("budget_exceded", "limit_usd", "input_tokens", "Non-overlapping"),
    ("budget_exceeded", "limit_usd", "input_token", "Unexpected keyword argument"),
]


def test_mypy_tells_errors_and_options_apart(cache: Path, tmp_path: Path) -> None:
    for i, (code, name, option, _) in enumerate(USES):
        (tmp_path / f"use_{i}.py").write_text(NARROWING.format(code=code, field=name, option=option))
    said = mypy(cache, *(f"use_{i}.py" for i in range(len(USES))), cwd=tmp_path)
    for i, (*_, complaint) in enumerate(USES):
        own = [line for line in said.splitlines() if line.startswith(f"use_{i}.py")]
        assert (own == []) if complaint is None else any(complaint in line for line in own), said


def test_the_wheel_works_in_an_empty_folder(org: Organization, tmp_path: Path) -> None:
    wheels, site = tmp_path / "wheels", tmp_path / "site"
    copy = tmp_path / "source"
    subprocess.run(["cp", "-r", str(PACKAGE), str(copy)], check=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--no-cache-dir", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", str(wheels), str(copy)], check=True)
    (wheel,) = wheels.glob("weir-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)], check=True)
    assert (site / "weir" / "py.typed").exists() and not (site / "tests").exists()
    program = (
        "import weir\n"
        "with weir.Client() as client, client.run(model='gpt-4o', input_tokens=10, max_output_tokens=10) as run:\n"
        "    run.usage({'prompt_tokens': 10, 'completion_tokens': 5})\n"
        "print(weir.__file__, run.id)\n"
    )
    variables = {"WEIR_API_KEY": org.agent_key, "WEIR_BASE_URL": org.server.base_url, "WEIR_SPOOL": "", "PYTHONPATH": str(site)}
    empty = tmp_path / "empty"
    empty.mkdir()
    done = subprocess.run([sys.executable, "-c", program], cwd=empty, env={**os.environ, **variables}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    path, run_id = done.stdout.split()
    assert path.startswith(str(site))
    assert org.run(run_id)["cost_usd"] == "0.000075"
