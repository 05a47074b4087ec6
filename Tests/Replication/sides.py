"""The two sides of a replication: a database of Settee in a folder, and a server of the trials; and their contents."""
import base64
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Clients"))

from replicator import Peer
from servers import Server as Settee


def fill(url, documents):
    """Writes revisions that were made elsewhere by HTTP."""
    peer = Peer(url)
    for start in range(0, len(documents), 200):
        body = {"new_edits": False, "docs": documents[start:start + 200]}
        rows = [row for row in peer.json("POST", "/_bulk_docs", body) if "error" in row]
        assert rows == [], rows[:3]


class Local:
    """A database of Settee in a folder: `folder`/db.settee."""

    def __init__(self, program, folder, storage="sqlite"):
        self.program, self.folder, self.storage = program, folder, storage
        self.path = os.path.join(folder, "db.settee")
        # The sequence of each document, once it was asked for; a pull into the database makes it wrong.
        self.known = None
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(self.path):
            subprocess.run([program, "create", self.path, "--storage-type", storage], check=True,
                           stdout=subprocess.DEVNULL)

    def serve(self, before=()):
        """Starts `settee serve`; `before` is a command that runs it."""
        return Settee(self.program, self.folder, self.storage, before=before)

    def fill(self, documents):
        with self.serve() as server:
            fill(server.url + "/db", documents)
            server.stop()
        self.known = None

    def copy(self, folder):
        shutil.copytree(self.folder, folder)
        copied = Local(self.program, folder, self.storage)
        copied.known = self.known
        return copied

    def remove(self):
        shutil.rmtree(self.folder)

    def export(self):
        run = subprocess.run([self.program, "export", self.path, "--all"], check=True, stdout=subprocess.PIPE)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def problem(self):
        """What is wrong with its files, and what was left of contents that were being written; empty if nothing is."""
        checked = subprocess.run([self.program, "check", self.path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if checked.returncode != 0:
            return checked.stdout.decode(errors="replace")
        left = [name for _, folders, files in os.walk(self.folder) for name in folders + files
                if name.startswith(".settee-staging-")]
        return f"{left} are left" if left else ""

    def sequences(self):
        """The sequence of each document, of a database that is a source."""
        if self.known is not None:
            return self.known
        with self.serve() as server:
            rows = Peer(server.url + "/db").json("GET", "/_changes")["results"]
            server.stop()
        self.known = {row["id"]: row["seq"] for row in rows}
        return self.known

    def checkpoints(self):
        """Bodies of local documents by ID."""
        found, lines = {}, iter(self.export())
        for line in lines:
            if "local" in line:
                found[line["local"]["id"]] = next(lines)["body"]
        return found

    def dump(self):
        """What Database.dump of store.py tells."""
        lines, found, contents = self.export(), {}, {}
        place = 0
        while place < len(lines):
            line = lines[place]
            place += 1
            if "blob" in line:
                pieces = []
                while "chunk" in lines[place]:
                    pieces.append(base64.b64decode(lines[place]["chunk"]))
                    place += 1
                contents[line["blob"]["sha1"]] = b"".join(pieces)
            elif "document" in line:
                bodies = []
                while place < len(lines) and ("body" in lines[place] or "store" in lines[place]):
                    bodies += [lines[place]["body"]] if "body" in lines[place] else []
                    place += 1
                found[line["document"]["id"]] = exported(line["document"]["revisions"], bodies)
        for document in found.values():
            for leaf in document["leaves"].values():
                for entry in leaf["attachments"].values():
                    stored = contents[entry.pop("stored")]
                    content = gzip.decompress(stored) if entry.pop("encoding") else stored
                    entry["length"], entry["sha1"] = len(content), hashlib.sha1(content).hexdigest()
        return found


def exported(revisions, bodies):
    """A document of the neutral export."""
    bodies = iter(bodies)
    of = {place: next(bodies) for place, revision in enumerate(revisions) if revision.get("body")}
    parents = {revision.get("parent") for revision in revisions}
    found = {"winner": revisions[0]["rev"], "leaves": {}}
    for place, revision in enumerate(revisions):
        if place in parents:
            continue
        history, step = [], place
        while step is not None:
            history.append(revisions[step]["rev"])
            step = revisions[step].get("parent")
        body = dict(of[place])
        attachments = {}
        for name, entry in body.pop("_attachments", {}).items():
            stored = base64.b64decode(entry["digest"].partition("-")[2]).hex()
            attachments[name] = {"content_type": entry.get("content_type"), "revpos": entry["revpos"], "stored": stored,
                                 "encoding": entry.get("encoding")}
        found["leaves"][revision["rev"]] = {"history": history, "deleted": revision.get("deleted", False), "body": body,
                                            "attachments": attachments}
    return found


def difference(one, other):
    """The first difference of two dumps, as text; empty if they are equal."""
    found = [id for id in sorted(set(one) | set(other)) if one.get(id) != other.get(id)]
    if not found:
        return ""
    id = found[0]
    return f"{len(found)} of {max(len(one), len(other))} documents differ, such as {id!r}: " + \
        deepest(one.get(id), other.get(id))


def deepest(one, other):
    """What differs first, as deep as can be."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other)):
            if one.get(key) != other.get(key):
                return f"{key}: " + deepest(one.get(key), other.get(key))
    return " / ".join(json.dumps(each, sort_keys=True)[:120] for each in (one, other))
