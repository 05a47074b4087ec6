"""What the trials of `settee replicate` share: runs of the program, and what holds after each."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

from proxy import Fault, Proxy
from server import Server
from sides import Local, difference

import replicator


class Run:
    def __init__(self, status, output, seconds):
        self.status, self.output, self.seconds = status, output, seconds

    def __str__(self):
        return f"status {self.status} after {self.seconds:.1f} s: {self.output[-600:].strip()}"


class Trials:
    """Runs of a program, and their results."""

    def __init__(self, program, command=None, storage="sqlite"):
        self.program, self.storage = program, storage
        self.command = command or [program, "replicate"]
        self.root = tempfile.mkdtemp(prefix="settee-replicate-")
        self.passed, self.failures, self.lock, self.number = 0, [], threading.Lock(), 0

    def folder(self):
        with self.lock:
            self.number += 1
            return os.path.join(self.root, str(self.number))

    def check(self, name, problem):
        """Notes a result: a problem as text, or nothing."""
        with self.lock:
            if problem:
                self.failures.append(name)
                print(f"FAILS {name}: {problem}", flush=True)
            else:
                self.passed += 1

    def start(self, source, target, *options, before=()):
        """Starts the program; `before` is a command that runs it."""
        # Files, since a pipe that nobody reads fills up.
        output = tempfile.TemporaryFile(dir=self.root)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen([*before, *self.command, source, target, *options], stdout=output, stderr=subprocess.STDOUT,
                                   env=environment, start_new_session=True)
        process.output, process.began = output, time.monotonic()
        return process

    def wait(self, process, seconds=120):
        try:
            process.wait(seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            kill(process)
            status = "no end"
        process.output.seek(0)
        text = process.output.read().decode(errors="replace")
        process.output.close()
        return Run(status, text, time.monotonic() - process.began)

    def run(self, source, target, *options, seconds=120):
        return self.wait(self.start(source, target, *options), seconds)


def kill(process):
    """SIGKILL of the program and of what it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Pair:
    """A database of Settee and one of a server of the trials, one of them filled."""

    def __init__(self, trials, dialect, direction, template, documents, name="db", **server_options):
        self.trials, self.dialect, self.direction = trials, dialect, direction
        # For reference.py.
        os.environ["DIALECT"] = dialect
        self.server = Server(dialect, **server_options)
        self.name = name
        self.remote = self.server.create(name)
        if direction == "push":
            self.local = template.copy(trials.folder())
        else:
            self.local = Local(trials.program, trials.folder(), trials.storage)
            load(self.remote, documents)
        # Checkpoints of a push that came before their documents.
        self.early = []
        if direction == "push":
            self.sequences, self.leaves = self.local.sequences(), template.leaves
            self.server.watch = self.watch
        self.server.start()
        self.proxy = None

    def through(self, fault=None):
        """Puts a proxy in between."""
        self.proxy = Proxy(self.server.port, fault or Fault())
        return self.proxy

    def url(self):
        port = self.proxy.port if self.proxy else self.server.port
        return re.sub(r":\d+/", f":{port}/", self.server.url(urllib.parse.quote(self.name, safe="")))

    def ends(self):
        return (self.local.path, self.url()) if self.direction == "push" else (self.url(), self.local.path)

    def run(self, *options, **named):
        return self.trials.run(*self.ends(), *options, **named)

    def difference(self):
        return difference(self.local.dump(), self.remote.dump())

    def number(self, sequence):
        """A sequence of the source as a number, without rewinding."""
        if self.direction == "push":
            return int(sequence)
        text = sequence if isinstance(sequence, str) else json.dumps(sequence)
        before, self.remote.restarted_at = self.remote.restarted_at, 0
        if self.dialect == "couchdb" and text not in ("0", ""):
            self.remote.restarted_at = int(text.partition("-")[2][6:14], 16)
        try:
            return self.server.dialect.number(self.remote, text)
        finally:
            self.remote.restarted_at = before

    def watch(self, database, id, fields):
        """A checkpoint has come, and is not stored yet."""
        done = self.number(fields["source_last_seq"])
        for id, sequence in self.sequences.items():
            document = database.document(id)
            lacking = self.leaves[id] - set(document.nodes if document else ())
            if sequence <= done and lacking:
                self.early.append(f"a checkpoint came for {done}, and {id!r} of {sequence} had not arrived")
                return

    def logs(self):
        """Checkpoints here and there, by ID."""
        here = {key.removeprefix("_local/"): body for key, body in self.local.checkpoints().items()
                if "source_last_seq" in body}
        there = {key: body for key, (_, body) in self.remote.locals.items()}
        return here, there

    def start_sequence(self):
        """Where the next run begins: after the newest session that both sides know."""
        here, there = self.logs()
        newest = 0
        for id in here:
            if id in there:
                newest = max(newest, self.number(replicator.common_sequence(here[id], there[id])))
            elif self.server.read_only:
                newest = max(newest, self.number(here[id]["source_last_seq"]))
        return newest

    def ahead(self):
        """What a checkpoint says is done, and is not; empty if there is nothing."""
        if self.early:
            return self.early[0]
        told = [log["source_last_seq"] for logs in self.logs() for log in logs.values()]
        if not told:
            return ""
        return self.lacking(max(map(self.number, told)))

    def lacking(self, done):
        """Documents that the source has changed up to a sequence, and the target has not."""
        here, there = self.local.dump(), self.remote.dump()
        source, target = (here, there) if self.direction == "push" else (there, here)
        if self.direction == "push":
            sequences = self.local.sequences()
        else:
            sequences = {id: document.sequence for id, document in self.remote.documents.items()}
        for id, sequence in sequences.items():
            if sequence <= done and set(source[id]["leaves"]) - set(target.get(id, {"leaves": {}})["leaves"]):
                return f"the checkpoint is at {done}, and {id!r} of {sequence} has not arrived"
        return ""

    def close(self):
        if self.proxy:
            self.proxy.stop()
        self.server.stop()
        shutil.rmtree(self.local.folder, ignore_errors=True)


def load(database, documents):
    """Writes revisions that were made elsewhere, without HTTP."""
    for document in documents:
        ids = document["_revisions"]["ids"]
        history = [f"{len(ids) - place}-{id}" for place, id in enumerate(ids)]
        attachments = database.attachments(document["_id"], document, len(ids), history[1:], {})
        body = {key: value for key, value in document.items() if not key.startswith("_")}
        database.insert(document["_id"], history, document.get("_deleted", False), body, attachments)


def template(trials, documents):
    """A filled database of Settee, to be copied."""
    local = Local(trials.program, trials.folder(), trials.storage)
    local.fill(documents)
    local.sequences()
    local.leaves = {id: set(document["leaves"]) for id, document in local.dump().items()}
    return local
