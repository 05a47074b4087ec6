"""A replicator after CouchDB's public description of its protocol, as test material.

It asks for documents in every way that clients do: GET with open_revs as multipart/mixed and as JSON, _bulk_get as JSON
and as multipart, with atts_since; and it writes them by _bulk_docs and by PUT of multipart/related.
"""
import base64
import hashlib
import http.client
import json
import random
import time
import urllib.parse


class Failure(Exception):
    """An answer that was not expected."""

    def __init__(self, request, status, body):
        super().__init__(f"{request}: {status} {body[:300]!r}")
        self.status = status


class Stopped(Exception):
    """The replication was stopped at a random moment."""


class Peer:
    """A database behind a URL. `stop` is called before and after each request, and may throw."""

    def __init__(self, url, stop=lambda: None, headers=None):
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path.rstrip("/")
        self.connection = None
        self.stop = stop
        self.headers = headers or {}

    def request(self, method, path, body=None, headers=None, expected=(200, 201, 202)):
        """Returns status, headers and body. A broken connection is tried once more if it was an old one."""
        self.stop()
        headers = {"Accept": "application/json", **self.headers, **(headers or {})}
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        while True:
            isNew = self.connection is None
            if isNew:
                self.connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
            try:
                self.connection.request(method, self.path + path, body=body, headers=headers)
                answer = self.connection.getresponse()
                content = answer.read()
                break
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.connection = None
                if isNew:
                    raise
        if answer.will_close:
            self.connection.close()
            self.connection = None
        self.stop()
        if answer.status not in expected:
            raise Failure(f"{method} {self.path}{path}", answer.status, content)
        return answer.status, answer.headers, content

    def json(self, method, path, body=None, **options):
        return json.loads(self.request(method, path, body, **options)[2])


def quoted(id):
    """An ID as a segment of a path; design documents keep their slash, as most clients have it."""
    for prefix in ("_design/", "_local/"):
        if id.startswith(prefix):
            return prefix + urllib.parse.quote(id[len(prefix):], safe="")
    return urllib.parse.quote(id, safe="")


def query(**options):
    """Options as JSON where they are no text."""
    texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in options.items()}
    return "?" + urllib.parse.urlencode(texts)


# MARK: Multipart


def parts(content_type, body):
    """The parts of a multipart message: headers (lower case) and bytes."""
    message = http.client.HTTPMessage()
    message["Content-Type"] = content_type
    boundary = b"--" + message.get_param("boundary").encode()
    assert body.startswith(boundary) or b"\r\n" + boundary in body, "no boundary"
    body = b"\r\n" + body
    pieces = body.split(b"\r\n" + boundary)
    assert pieces[-1].startswith(b"--"), "the message has no end"
    found = []
    for piece in pieces[1:-1]:
        head, separator, content = piece.partition(b"\r\n\r\n")
        assert separator, "a part has no end of its headers"
        lines = [line.decode() for line in head.split(b"\r\n") if line]
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        if "content-length" in headers:
            assert int(headers["content-length"]) == len(content), "a part has another length"
        found.append((headers, content))
    return found


class Revision:
    """A document with the bytes of the attachments that came beside it, by name, and their encoding."""

    def __init__(self, document, contents=None):
        self.document = document
        self.contents = contents or {}

    @staticmethod
    def from_part(headers, content):
        kind = headers.get("content-type", "")
        if kind.startswith("multipart/related"):
            (_, text), *attachments = parts(kind, content)
            document = json.loads(text)
            names = [name for name, entry in document["_attachments"].items() if entry.get("follows")]
            assert len(names) == len(attachments), "parts and entries that follow differ in number"
            contents = {}
            for name, (headers, content) in zip(names, attachments):
                contents[name] = (content, headers.get("content-encoding"))
                check(document["_attachments"][name], content, headers.get("content-encoding"))
            return Revision(document, contents)
        if "error" in headers.get("content-type", ""):
            return None
        return Revision(json.loads(content))

    def inlined(self):
        """The document with all its contents as base64."""
        document = json.loads(json.dumps(self.document))
        for name, (content, encoding) in self.contents.items():
            entry = document["_attachments"][name]
            for member in ("follows", "length", "encoded_length", "digest"):
                entry.pop(member, None)
            if encoding:
                entry["encoding"] = encoding
            entry["data"] = base64.b64encode(content).decode()
        return document

    def related(self):
        """The document as a message of multipart/related: type and bytes."""
        boundary = "%032x" % random.getrandbits(128)
        document = self.document
        pieces = [b"--%b\r\nContent-Type: application/json\r\n\r\n" % boundary.encode()]
        pieces.append(json.dumps(document).encode())
        for name, entry in document["_attachments"].items():
            if name not in self.contents:
                continue
            content, encoding = self.contents[name]
            head = f"\r\n--{boundary}\r\n"
            # CouchDB goes by the order, and older versions send no name.
            if random.random() < 0.5:
                head += f'Content-Disposition: attachment; filename="{escaped(name)}"\r\n'
            head += f"Content-Type: {entry['content_type']}\r\nContent-Length: {len(content)}\r\n"
            if encoding:
                head += f"Content-Encoding: {encoding}\r\n"
            pieces += [(head + "\r\n").encode(), content]
        pieces.append(b"\r\n--%b--" % boundary.encode())
        return f'multipart/related; boundary="{boundary}"', b"".join(pieces)


def escaped(name):
    return name.replace("\\", "\\\\").replace('"', '\\"')


def check(entry, content, encoding):
    """Compares a content with what its entry says."""
    kind, _, digest = entry.get("digest", "").partition("-")
    if kind in ("md5", "sha1"):
        own = base64.b64encode(hashlib.new(kind, content).digest()).decode()
        assert own == digest, f"an attachment is not what its digest says: {entry}"
    length = entry.get("encoded_length" if encoding else "length")
    assert length is None or length == len(content), f"an attachment has another length: {entry}"


# MARK: Reading


def by_open_revs(source, id, revisions, ancestors):
    """GET of a document, with atts_since, as multipart/mixed: CouchDB's way."""
    options = {"revs": True, "open_revs": revisions, "latest": True}
    if ancestors:
        options["atts_since"] = ancestors
    accept = random.choice(["multipart/mixed", "application/json, multipart/mixed", "multipart/mixed, application/json"])
    _, headers, body = source.request("GET", "/" + quoted(id) + query(**options), headers={"Accept": accept})
    if headers["Content-Type"].startswith("multipart/mixed"):
        return [Revision.from_part(*part) for part in parts(headers["Content-Type"], body)]
    if not ancestors:
        options["attachments"] = True
        body = source.request("GET", "/" + quoted(id) + query(**options))[2]
    return [Revision(row["ok"]) if "ok" in row else None for row in json.loads(body)]


def by_bulk_get(source, wanted, accept):
    """_bulk_get of (id, revisions, ancestors)."""
    items = []
    for id, revisions, ancestors in wanted:
        for revision in revisions:
            items.append({"id": id, "rev": revision})
            if ancestors:
                items[-1]["atts_since"] = ancestors
    options = query(revs=True, latest=True, attachments=True)
    _, headers, body = source.request("POST", "/_bulk_get" + options, {"docs": items}, headers={"Accept": accept})
    if headers["Content-Type"].startswith("multipart/"):
        return [Revision.from_part(*part) for part in parts(headers["Content-Type"], body)]
    results = json.loads(body)["results"]
    assert [row["id"] for row in results] == [item["id"] for item in items], "results are in another order"
    return [Revision(row["ok"]) if "ok" in row else None for result in results for row in result["docs"]]


def fetch(source, wanted):
    """The revisions that are wanted, in one of the ways that clients have."""
    way = random.choice(["open_revs", "bulk_get", "bulk_get_multipart"])
    if way == "open_revs":
        return [found for item in wanted for found in by_open_revs(source, *item)]
    accept = "application/json" if way == "bulk_get" else random.choice(["multipart/mixed", "multipart/related"])
    return by_bulk_get(source, wanted, accept)


# MARK: Writing


def push(source, target, revisions):
    """Writes revisions: small ones together, those with contents beside them one by one."""
    together = []
    for revision in revisions:
        if revision.contents and random.random() < 0.7:
            content_type, body = revision.related()
            path = "/" + quoted(revision.document["_id"]) + "?new_edits=false"
            status, _, answer = target.request(
                "PUT", path, body, headers={"Content-Type": content_type}, expected=(200, 201, 202, 412))
            if status == 412:
                assert json.loads(answer)["error"] == "missing_stub", answer
                again(source, target, revision)
        else:
            together.append(revision)
    if not together:
        return
    body = {"docs": [revision.inlined() for revision in together], "new_edits": False}
    if random.random() < 0.5:
        body = {"new_edits": False, "docs": body["docs"]}
    for row in target.json("POST", "/_bulk_docs", body):
        assert row["error"] == "missing_stub", row
        for revision in together:
            if (revision.document["_id"], revision.document["_rev"]) == (row["id"], row["rev"]):
                again(source, target, revision)


def again(source, target, revision):
    """The target does not have what the stubs name: everything is sent."""
    document = revision.document
    options = query(revs=True, attachments=True, rev=document["_rev"])
    whole = source.json("GET", "/" + quoted(document["_id"]) + options)
    rows = target.json("POST", "/_bulk_docs", {"docs": [whole], "new_edits": False})
    assert rows == [], rows


# MARK: A replication


def checkpoint(peer, id):
    status, _, body = peer.request("GET", "/_local/" + id, expected=(200, 404))
    return json.loads(body) if status == 200 else {}


def common_sequence(one, other):
    """The newest sequence that both logs have."""
    if one.get("session_id") and one.get("session_id") == other.get("session_id"):
        return one["source_last_seq"]
    sessions = {entry["session_id"] for entry in other.get("history", [])}
    for entry in one.get("history", []):
        if entry["session_id"] in sessions:
            return entry["recorded_seq"]
    return 0


def write_checkpoint(peer, id, log, session, sequence):
    history = [{"session_id": session, "recorded_seq": sequence}]
    history += [entry for entry in log.get("history", []) if entry["session_id"] != session]
    body = {"session_id": session, "source_last_seq": sequence, "replication_id_version": 4, "history": history[:50]}
    if "_rev" in log:
        # CouchDB writes back the history of the log that it has read.
        body["_rev"] = log["_rev"]
        body["_revisions"] = {"start": 0, "ids": [log["_rev"].removeprefix("0-")]}
    answer = peer.json("PUT", "/_local/" + id, body)
    number = int(log["_rev"].removeprefix("0-")) if "_rev" in log else 0
    assert answer["rev"] == f"0-{number + 1}", answer
    body["_rev"] = answer["rev"]
    return body


def changes(source, since, limit):
    """Rows behind a sequence, and the sequence to go on with, by one of three feeds."""
    feed = random.choice(["normal", "longpoll", "continuous"])
    options = dict(style="all_docs", since=since, limit=limit, feed=feed)
    if feed != "normal":
        options["timeout"] = 200
    if random.random() < 0.3:
        options["seq_interval"] = 10
    _, _, body = source.request("GET", "/_changes" + query(**options))
    if feed != "continuous":
        answer = json.loads(body)
        return answer["results"], answer["last_seq"]
    lines = [json.loads(line) for line in body.splitlines() if line.strip()]
    end = lines.pop()
    assert "last_seq" in end, end
    return lines, end["last_seq"]


def replicate(source, target, batch=None):
    """Replicates all there is. Returns how many revisions were written."""
    if target.request("HEAD", "", expected=(200, 404))[0] == 404:
        target.request("PUT", "", expected=(201, 412))
    assert isinstance(source.json("GET", "")["instance_start_time"], str)
    id = hashlib.md5(f"{source.url} {target.url}".encode()).hexdigest()
    logs = checkpoint(source, id), checkpoint(target, id)
    since = common_sequence(*logs)
    session = "%032x" % random.getrandbits(128)
    written = 0
    while True:
        rows, last = changes(source, since, batch or random.randint(1, 60))
        if not rows:
            break
        asked = {row["id"]: [change["rev"] for change in row["changes"]] for row in rows}
        missing = target.json("POST", "/_revs_diff", asked)
        wanted = [(id, diff["missing"], diff.get("possible_ancestors", [])) for id, diff in missing.items()]
        while wanted:
            size = random.randint(1, 20)
            revisions = fetch(source, wanted[:size])
            assert None not in revisions, ("a revision of the feed is missing", wanted[:size])
            push(source, target, revisions)
            written += len(revisions)
            wanted = wanted[size:]
        since = last
        # Documents are durable before the checkpoint says that they are.
        target.json("POST", "/_ensure_full_commit", {})
        logs = tuple(write_checkpoint(peer, id, log, session, since) for peer, log in zip((source, target), logs))
    return written


def leaves(peer):
    """All leaves of all documents: ID to {revision: (deleted, digests of attachments, body)}."""
    found = {}
    for row in peer.json("GET", "/_changes" + query(style="all_docs"))["results"]:
        answer = peer.json("GET", "/" + quoted(row["id"]) + query(open_revs="all", revs=True))
        documents = {entry["ok"]["_rev"]: entry["ok"] for entry in answer}
        assert set(documents) == {change["rev"] for change in row["changes"]}, row
        found[row["id"]] = documents
    return found


def wait_for(url, seconds=60):
    """Waits until a server answers."""
    end = time.monotonic() + seconds
    while True:
        try:
            Peer(url).request("GET", "/_up")
            return
        except (OSError, http.client.HTTPException):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
