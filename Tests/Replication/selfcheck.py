"""Checks the server of the trials: the replicator of Tests/Clients carries documents between it and `settee serve`.

Argument: the program.
"""
import base64
import gzip
import random
import shutil
import sys
import tempfile

from sides import Local, Peer, difference, fill

import replicator
from sample import Sample
from server import Server

SEED = 32


class DialectPeer(Peer):
    """Knows what the replicator of Tests/Clients does not: URLs that end in `/`, and answers for what was taken."""

    def __init__(self, url, dialect=None):
        super().__init__(url)
        self.dialect = dialect

    def request(self, method, path, body=None, **options):
        if path == "" and self.dialect == "sync-gateway":
            path = "/"
        if path == "/_ensure_full_commit" and self.dialect == "bare":
            options["expected"] = (404,)
            status, headers, content = super().request(method, path, body, **options)
            return status, headers, b"{}"
        return super().request(method, path, body, **options)

    def json(self, method, path, body=None, **options):
        answer = super().json(method, path, body, **options)
        if path == "" and "instance_start_time" in answer:
            answer["instance_start_time"] = str(answer["instance_start_time"])
        if path == "/_bulk_docs":
            answer = [row for row in answer if "error" in row]
        return answer


def fetch(source, wanted):
    way = random.choice(["open_revs", "bulk_get", "multipart"])
    if source.dialect == "bare" or way == "open_revs":
        return [found for item in wanted for found in replicator.by_open_revs(source, *item)]
    return replicator.by_bulk_get(source, wanted, "application/json" if way == "bulk_get" else "multipart/mixed")


class Inlined(replicator.Revision):
    def inlined(self):
        """Decoded, since CouchDB ignores the encoding of base64."""
        contents = {name: (gzip.decompress(content) if encoding else content, None)
                    for name, (content, encoding) in self.contents.items()}
        document = replicator.Revision(self.document, contents).inlined()
        for entry in document.get("_attachments", {}).values():
            if "data" in entry and entry.pop("encoding", None) and self.document["_attachments"].get("data"):
                entry["data"] = base64.b64encode(gzip.decompress(base64.b64decode(entry["data"]))).decode()
        return document


def push(source, target, revisions):
    revisions = [Inlined(each.document, each.contents) for each in revisions]
    if target.dialect == "bare":
        revisions = [replicator.Revision(each.inlined()) for each in revisions]
    original(source, target, revisions)


original, replicator.push, replicator.fetch = replicator.push, push, fetch


def check(program, dialect, folder):
    random.seed(SEED)
    sample = Sample(SEED)
    first = sample.documents(300)
    more = sample.followers(first)
    server = Server(dialect).start()
    database = server.create("db")
    local = Local(program, folder)
    back = server.create("back")
    with local.serve() as settee:
        here = DialectPeer(settee.url + "/db")
        there, again = DialectPeer(server.url("db"), dialect), DialectPeer(server.url("back"), dialect)
        fill(server.url("db"), first)
        replicator.replicate(there, here)
        fill(server.url("db"), more)
        server.restart()
        replicator.replicate(there, here)
        replicator.replicate(here, again)
        assert replicator.replicate(here, again) == 0
        settee.stop()
    for name, one, other in [("pull", database.dump(), local.dump()), ("push", local.dump(), back.dump())]:
        differs = difference(one, other)
        assert not differs, f"{dialect}, {name}: {differs}"
    server.stop()
    print(f"{dialect}: {len(first)} + {len(more)} revisions there and back")


if __name__ == "__main__":
    for dialect in ("couchdb", "sync-gateway", "bare"):
        folder = tempfile.mkdtemp(prefix="settee-peers-")
        check(sys.argv[1], dialect, folder)
        shutil.rmtree(folder)
