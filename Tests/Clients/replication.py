"""Replicates between two servers, both ways, while documents are edited and compacted on both, and stops at random
moments.

Arguments: the program, a seed, rounds, two storage types. At the end both databases must have the same leaves with the
same bodies and attachments. With an even seed some attachments are stored gzipped. Those that travel as base64 are decoded
on the way, as with CouchDB, so that digests are then not compared, but the decoded bytes.
"""
import base64
import gzip
import json
import random
import shutil
import subprocess
import sys
import tempfile

from replicator import Peer, Stopped, leaves, query, quoted, replicate
from servers import Server

IDS = ["a", "b b", "c/d", "é%2F?", "e+f", "_design/g", "h\"i"] + [f"doc{i}" for i in range(30)]
NAMES = ["x.txt", "dir/y.bin", "zü \"q\".gz", "w"]


def edit(peer, turn, compresses):
    """One random edit by HTTP."""
    id = random.choice(IDS)
    path = "/" + quoted(id)
    status, _, body = peer.request("GET", path + query(conflicts=True), expected=(200, 404))
    document = json.loads(body) if status == 200 else {"_id": id}
    rev = document.get("_rev")
    kind = random.random()
    if kind < 0.15 and rev:
        peer.request("DELETE", path + query(rev=rev), expected=(200, 409))
    elif kind < 0.25 and document.get("_conflicts"):
        peer.request("DELETE", path + query(rev=random.choice(document["_conflicts"])))
    elif kind < 0.45:
        name = random.choice(NAMES)
        content = random.randbytes(random.choice([0, 1, 100, 5000, 100_000]))
        headers = {"Content-Type": random.choice(["text/plain", "application/octet-stream"])}
        if compresses and random.random() < 0.5:
            content = gzip.compress(content + b"a" * 1000)
            headers["Content-Encoding"] = "gzip"
        options = query(rev=rev) if rev else ""
        peer.request("PUT", f"{path}/{quoted(name)}{options}", content, headers=headers, expected=(201, 409))
    elif kind < 0.5 and rev and document.get("_attachments"):
        name = random.choice(list(document["_attachments"]))
        peer.request("DELETE", f"{path}/{quoted(name)}{query(rev=rev)}", expected=(200, 409))
    elif kind < 0.6:
        # A branch that somebody else has made.
        generation = random.randint(1, 4)
        history = ["%032x" % random.getrandbits(128) for _ in range(generation)]
        branch = {"_id": id, "_revisions": {"start": generation, "ids": history}, "_rev": f"{generation}-{history[0]}",
                  "branch": turn, "_deleted": random.random() < 0.2}
        if random.random() < 0.5:
            data = base64.b64encode(random.randbytes(50)).decode()
            branch["_attachments"] = {"x.txt": {"content_type": "text/plain", "data": data, "revpos": generation}}
        peer.request("POST", "/_bulk_docs", {"docs": [branch], "new_edits": False})
    else:
        document.pop("_conflicts", None)
        entries = document.get("_attachments", {})
        if entries and random.random() < 0.3:
            # Another content whose entry still has what the server said of the one before.
            entry = entries[random.choice(list(entries))]
            for member in ("stub", "digest", "length", "encoded_length", "encoding"):
                entry.pop(member, None)
            entry["data"] = base64.encodebytes(random.randbytes(random.choice([1, 200, 5000]))).decode()
        document["turn"] = turn
        document["text"] = random.choice(["", "ü" * 20, "\U0001f6cb", "x" * 2000])
        peer.request("PUT", path, document, expected=(201, 409))


def run(program, seed, rounds, storages):
    random.seed(seed)
    folder = tempfile.mkdtemp(prefix="settee-replication-")
    servers = []
    try:
        for number, storage in enumerate(storages):
            servers.append(Server(program, f"{folder}/{number}", storage))
        for server in servers:
            Peer(server.url + "/db").request("PUT", "")
        stops = kills = compactions = written = 0
        for turn in range(rounds):
            for server in servers:
                peer = Peer(server.url + "/db")
                for _ in range(random.randint(0, 25)):
                    edit(peer, turn, seed % 2 == 0)
            chance = random.choice([0, 0.01, 0.05, 0.2])

            def stop():
                if random.random() < chance:
                    raise Stopped()

            pair = [Peer(server.url + "/db", stop) for server in servers]
            if random.random() < 0.5:
                pair.reverse()
            try:
                written += replicate(*pair)
            except Stopped:
                stops += 1
            if random.random() < 0.3:
                Peer(random.choice(servers).url + "/db").json("POST", "/_compact", {})
                compactions += 1
            if random.random() < 0.2:
                victim = random.choice(servers)
                victim.kill()
                victim.start()
                kills += 1
        pair = [Peer(server.url + "/db") for server in servers]
        while replicate(pair[0], pair[1]) + replicate(pair[1], pair[0]) > 0:
            pass
        compare(*pair, seed % 2 == 0)
        for server in servers:
            server.stop()
        for server in servers:
            subprocess.run([program, "check", f"{server.folder}/db.settee"], check=True, stdout=subprocess.DEVNULL)
        print(f"seed {seed}, {'+'.join(storages)}: {rounds} rounds, {stops} stops, {kills} kills, "
              f"{compactions} compactions, {written} revisions")
    except BaseException:
        print(f"seed {seed}, {storages}, {folder}")
        raise
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.kill()
    shutil.rmtree(folder)


def compare(one, other, compresses):
    """Both have the same leaves with the same bodies, and attachments with the same bytes."""
    first, second = leaves(one), leaves(other)
    if compresses:
        for documents in [*first.values(), *second.values()]:
            for document in documents.values():
                for entry in document.get("_attachments", {}).values():
                    del entry["digest"]
    assert set(first) == set(second), set(first) ^ set(second)
    for id, documents in first.items():
        assert documents == second[id], (id, documents, second[id])
        for rev, document in documents.items():
            for name in document.get("_attachments", {}):
                path = f"/{quoted(id)}/{quoted(name)}{query(rev=rev)}"
                contents = [peer.request("GET", path)[2] for peer in (one, other)]
                assert contents[0] == contents[1], (id, rev, name)
    if not compresses:
        options = query(include_docs=True, conflicts=True, attachments=True)
        rows = [peer.json("GET", "/_all_docs" + options)["rows"] for peer in (one, other)]
        assert rows[0] == rows[1], "listings differ"


if __name__ == "__main__":
    program, seed, rounds, *storages = sys.argv[1:]
    run(program, int(seed), int(rounds), storages)
