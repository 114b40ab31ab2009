"""What is still to be told to Weir, in files where it may write, so that neither an outage nor the end of the process loses it."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import SpoolFull

log = logging.getLogger("weir")

ADOPTED_AFTER_SECONDS = 30.0
"""A file that is older belongs to a process that has ended, or is told twice: the same key makes that harmless."""


@dataclass(frozen=True)
class Entry:
    """A request that is repeated, with the same key, until Weir has taken it."""

    name: str
    path: str
    body: dict[str, Any]
    idempotency_key: str
    allowance_nano: int = 0
    """What the call takes up of an allowance until it is recorded."""

    def text(self) -> str:
        fields = {"v": 1, "path": self.path, "body": self.body, "idempotency_key": self.idempotency_key}
        if self.allowance_nano:
            fields["allowance_nano"] = self.allowance_nano
        return json.dumps(fields, separators=(",", ":"))


def default_folder() -> Path | None:
    """Returns the folder of `WEIR_SPOOL`, else one in the state of the user; None where there is none."""
    named = os.environ.get("WEIR_SPOOL")
    if named is not None:
        return Path(named) if named else None
    try:
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    except RuntimeError:
        return None
    return Path(base) / "weir" / "spool"


class Spool:
    """
    A bounded store of entries. Room for the end of a call is taken before the call begins, so a spool that is full refuses new calls and never
    the end of one. Without a folder it lives in memory, and ends with the process.
    """

    def __init__(self, folder: Path | None, base_url: str, api_key: str, most: int) -> None:
        self._lock = threading.Lock()
        self._most = most
        self._entries: dict[str, Entry] = {}
        self._busy: set[str] = set()
        self._begun = 0
        self._others = 0
        # Only the key that began a run may end it, so each has a folder of its own; the key itself is not in it.
        owner = hashlib.sha256(f"{base_url}\n{api_key}".encode()).hexdigest()[:24]
        self._folder = self._opened(folder / owner) if folder is not None else None

    @staticmethod
    def _opened(folder: Path) -> Path | None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            probe = folder / f".{uuid.uuid4().hex}"
            probe.touch(mode=0o600)
            probe.unlink()
            return folder
        except OSError as error:
            log.warning("weir: the spool cannot be written, so ends of calls are kept in memory only: %s", error)
            return None

    @property
    def folder(self) -> Path | None:
        return self._folder

    @property
    def waiting(self) -> int:
        """How many ends of calls wait, those of ended processes included."""
        with self._lock:
            return len(self._entries) + self._others

    def begin(self) -> None:
        """Takes room for the end of a call that is about to begin."""
        with self._lock:
            if self._begun + len(self._entries) + self._others >= self._most:
                raise SpoolFull(f"{self._most} ends of calls wait to be told to Weir: no further call begins.")
            self._begun += 1

    def give_up(self) -> None:
        """Gives back the room of a call that leaves nothing to tell."""
        with self._lock:
            self._begun -= 1

    def put(self, entry: Entry) -> None:
        """Keeps an entry in the room of a call that began, and leaves its first sending to the caller."""
        with self._lock:
            self._begun -= 1
            self._entries[entry.name] = entry
            self._busy.add(entry.name)
        self._write(entry)

    def _write(self, entry: Entry) -> None:
        if self._folder is None:
            return
        path = self._folder / entry.name
        try:
            # Renamed into place: whoever looks sees a whole file or none.
            fd = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(fd, "w") as file:
                file.write(entry.text())
            os.rename(f"{path}.new", path)
        except OSError as error:
            log.warning("weir: an end of a call is kept in memory only: %s", error)

    def leave(self, entry: Entry) -> None:
        """Leaves an entry to be sent later."""
        with self._lock:
            self._busy.discard(entry.name)

    def done(self, entry: Entry) -> None:
        """Forgets an entry that Weir has taken."""
        with self._lock:
            self._busy.discard(entry.name)
            self._entries.pop(entry.name, None)
        if self._folder is not None:
            try:
                (self._folder / entry.name).unlink(missing_ok=True)
            except OSError as error:
                log.warning("weir: %s could not be removed, so it is told again: %s", entry.name, error)

    def due(self) -> list[Entry]:
        """Returns the entries that nobody is sending, oldest first."""
        with self._lock:
            return [entry for name, entry in sorted(self._entries.items()) if name not in self._busy]

    def adopt(self) -> None:
        """Takes over what processes have left that are no more."""
        if self._folder is None:
            return
        try:
            files = [(one.name, one.stat().st_mtime) for one in os.scandir(self._folder) if one.name.endswith(".json")]
        except OSError:
            return
        now = time.time()
        found = 0
        for name, written in files:
            with self._lock:
                known = name in self._entries
            if known:
                continue
            if now - written < ADOPTED_AFTER_SECONDS:
                found += 1
            elif (entry := self._read(name)) is not None:
                with self._lock:
                    self._entries.setdefault(name, entry)
        with self._lock:
            self._others = found

    def _read(self, name: str) -> Entry | None:
        assert self._folder is not None
        try:
            said = json.loads((self._folder / name).read_text())
            return Entry(name, said["path"], said["body"], said["idempotency_key"], said.get("allowance_nano", 0))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.error("weir: %s in the spool cannot be read: %s", name, error)
            return None


def entry_name() -> str:
    """Returns a name for an entry; names sort by time."""
    return f"{time.time_ns() // 1_000_000:014d}-{uuid.uuid4().hex}.json"
