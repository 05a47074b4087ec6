"""Documents with revision trees, in memory: what the server of the trials keeps."""
import base64
import copy
import gzip
import hashlib
import json
import threading
import time
import uuid


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, status, error, reason, headers=None):
        super().__init__(f"{status} {error}: {reason}")
        self.status, self.error, self.reason, self.headers = status, error, reason, headers or {}


def generation(rev):
    number, separator, digest = rev.partition("-")
    if not separator or not number.isdigit() or not digest:
        raise Refusal(400, "bad_request", "Invalid rev format")
    return int(number)


class Attachment:
    """The stored bytes of an attachment; with an encoding they are the encoded ones."""

    def __init__(self, content_type, stored, encoding, revpos):
        self.content_type, self.stored, self.encoding, self.revpos = content_type, stored, encoding, revpos

    @property
    def content(self):
        return gzip.decompress(self.stored) if self.encoding else self.stored

    def digest(self, kind):
        return kind + "-" + base64.b64encode(hashlib.new(kind, self.stored).digest()).decode()


class Node:
    """A revision. Ancestors that came as names only have no body."""

    def __init__(self, parent):
        self.parent, self.deleted, self.body, self.attachments = parent, False, None, {}


class Document:
    def __init__(self, id):
        self.id, self.nodes, self.sequence = id, {}, 0
        # Channels that it was in before, with the sequence and the revision that took it out.
        self.removals = {}

    def leaves(self):
        """The winner first: not deleted before deleted, then the longer history, then the higher digest."""
        parents = {node.parent for node in self.nodes.values()}
        found = [rev for rev in self.nodes if rev not in parents]
        return sorted(found, key=lambda rev: (not self.nodes[rev].deleted, generation(rev), rev.partition("-")[2]),
                      reverse=True)

    def history(self, rev):
        found = []
        while rev is not None and rev in self.nodes:
            found.append(rev)
            rev = self.nodes[rev].parent
        return found

    def descendants(self, rev):
        """The leaves that follow a revision."""
        return [leaf for leaf in self.leaves() if rev in self.history(leaf)]

    def add(self, history, deleted, body, attachments):
        """Adds a revision with its ancestors, newest first. Returns whether it is new."""
        known = self.nodes.get(history[0])
        if known is not None and known.body is not None:
            return False
        for place, rev in enumerate(history):
            if rev in self.nodes:
                if self.nodes[rev].parent is None and place + 1 < len(history):
                    self.nodes[rev].parent = history[place + 1]
                    continue
                break
            self.nodes[rev] = Node(history[place + 1] if place + 1 < len(history) else None)
        node = self.nodes[history[0]]
        node.deleted, node.body, node.attachments = deleted, body, attachments
        return True

    def channels(self):
        node = self.nodes[self.leaves()[0]]
        named = (node.body or {}).get("channels", [])
        return set(named) if isinstance(named, list) else {named}


class Database:
    """A database. `changed` is told of each commit, and guards everything."""

    def __init__(self, name, compresses=False, takes_encoding=False):
        self.name, self.uuid, self.compresses = name, uuid.uuid4().hex, compresses
        # Whether base64 with an encoding is of the encoded bytes. CouchDB ignores it.
        self.takes_encoding = takes_encoding
        self.start_time = str(int(time.time() * 1_000_000))
        self.documents, self.locals, self.sequence, self.log = {}, {}, 0, []
        self.changed = threading.Condition(threading.RLock())
        self.security, self.limit = {}, 1000
        # The sequence at the last restart: sequences of before may rewind.
        self.restarted_at = 0

    def document(self, id):
        return self.documents.get(id)

    def rows(self, since, style="all_docs"):
        """Documents that changed after a sequence, oldest change first."""
        if len(self.log) > 2 * len(self.documents) + 100:
            self.log = sorted((document.sequence, id) for id, document in self.documents.items())
        low, high = 0, len(self.log)
        while low < high:
            middle = (low + high) // 2
            if self.log[middle][0] <= since:
                low = middle + 1
            else:
                high = middle
        for sequence, id in self.log[low:]:
            document = self.documents[id]
            if document.sequence == sequence:
                yield document

    def insert(self, id, history, deleted, body, attachments):
        """Adds a revision that was made elsewhere, or here."""
        with self.changed:
            document = self.documents.setdefault(id, Document(id))
            before = document.channels() if document.nodes else set()
            if not document.add(history, deleted, body, attachments):
                return False
            self.sequence += 1
            document.sequence = self.sequence
            self.log.append((self.sequence, id))
            for channel in before - document.channels():
                document.removals[channel] = (self.sequence, document.leaves()[0])
            for channel in document.channels():
                document.removals.pop(channel, None)
            self.changed.notify_all()
            return True

    def edit(self, id, fields, parent):
        """A new revision after `parent`, which is a leaf, or None for a new document."""
        with self.changed:
            document = self.documents.get(id)
            leaves = document.leaves() if document else []
            if parent is None and leaves and document.nodes[leaves[0]].deleted:
                parent = leaves[0]
            elif (parent is None) == bool(leaves) or parent is not None and parent not in leaves:
                raise Refusal(409, "conflict", "Document update conflict.")
            number = generation(parent) + 1 if parent else 1
            ancestors = document.history(parent) if parent else []
            attachments = self.attachments(id, fields, number, ancestors, {})
            deleted, body = bool(fields.get("_deleted")), own_members(fields)
            digests = {name: found.digest("md5") for name, found in attachments.items()}
            text = json.dumps([parent, deleted, body, digests], sort_keys=True).encode()
            rev = f"{number}-{hashlib.md5(text).hexdigest()}"
            self.insert(id, [rev] + ancestors, deleted, body, attachments)
            return rev

    def attachments(self, id, fields, number, ancestors, contents):
        """The attachments that a document's JSON names, with contents that came beside it, by name."""
        found = {}
        for name, entry in (fields.get("_attachments") or {}).items():
            kind = entry.get("content_type", "application/octet-stream")
            revpos = min(entry.get("revpos", number), number)
            if "data" in entry:
                encoding = entry.get("encoding") if self.takes_encoding else None
                found[name] = self.stored(kind, base64.b64decode(entry["data"]), encoding, revpos)
            elif name in contents:
                found[name] = self.stored(kind, contents[name], entry.get("encoding"), revpos)
            else:
                found[name] = self.ancestral(id, name, entry, ancestors)
        return found

    def stored(self, kind, content, encoding, revpos):
        """CouchDB compresses what is text."""
        if self.compresses and not encoding and kind.startswith(("text/", "application/json", "application/xml")):
            return Attachment(kind, gzip.compress(content, 8, mtime=0), "gzip", revpos)
        return Attachment(kind, content, encoding, revpos)

    def ancestral(self, id, name, entry, ancestors):
        """What a stub names: the attachment of an ancestor with the same revpos."""
        document = self.documents.get(id)
        for rev in ancestors if document else []:
            node = document.nodes.get(rev)
            attachment = node.attachments.get(name) if node else None
            if attachment and entry.get("revpos", attachment.revpos) == attachment.revpos:
                return attachment
            digest = entry.get("digest", "")
            for attachment in node.attachments.values() if node and digest.startswith("sha1-") else []:
                if attachment.digest("sha1") == digest:
                    return attachment
        raise Refusal(412, "missing_stub", f"Invalid attachment stub in {id} for {name}")

    def save_local(self, id, fields, rev):
        with self.changed:
            number, _ = self.locals.get(id, (0, None))
            if rev is not None and rev != f"0-{number}" or rev is None and number:
                raise Refusal(409, "conflict", "Document update conflict.")
            self.locals[id] = (number + 1, own_members(fields))
            return f"0-{number + 1}"

    def copied(self):
        """The database as it is now, as from a backup."""
        with self.changed:
            other = Database(self.name, self.compresses, self.takes_encoding)
            other.uuid, other.start_time, other.sequence = self.uuid, self.start_time, self.sequence
            other.documents, other.locals = copy.deepcopy((self.documents, self.locals))
            other.log, other.limit, other.restarted_at = list(self.log), self.limit, self.restarted_at
            return other

    def dump(self):
        """Everything, to be compared with another dump as it is."""
        with self.changed:
            return {id: dumped(document) for id, document in sorted(self.documents.items())}


def own_members(fields):
    return {key: value for key, value in fields.items() if not key.startswith("_")}


def dumped(document):
    leaves = document.leaves()
    found = {"winner": leaves[0], "leaves": {}}
    for rev in leaves:
        node = document.nodes[rev]
        attachments = {}
        for name, attachment in node.attachments.items():
            content = attachment.content
            attachments[name] = {"content_type": attachment.content_type, "length": len(content),
                                 "revpos": attachment.revpos, "sha1": hashlib.sha1(content).hexdigest()}
        found["leaves"][rev] = {"history": document.history(rev), "deleted": node.deleted, "body": node.body,
                                "attachments": attachments}
    return found
