"""Routes of the server: documents and attachments, one and many."""
import base64
import gzip
import hashlib
import json

import multipart
from store import Refusal, generation

# The head of a part that is an error.
MISSING = [("Content-Type", 'application/json; error="true"')]


class DocumentRoutes:
    # MARK: What is shown

    def shown(self, database, document, rev, since=None, contents=None, revs=False):
        """A revision as JSON. With `contents` ("data" or "follows") attachments newer than `since` have theirs."""
        node = document.nodes[rev]
        mine = self.allowed(None)
        if mine is not None and not channels_of(node) & mine:
            shown = {"_id": document.id, "_rev": rev, "_removed": True}
        else:
            shown = {"_id": document.id, "_rev": rev, **node.body}
            if node.deleted:
                shown["_deleted"] = True
            newest = max([generation(each) for each in since or [] if each in document.history(rev)], default=0)
            entries = {}
            for name, attachment in node.attachments.items():
                entries[name] = self.entry(attachment, contents if attachment.revpos > newest else None)
            if entries:
                shown["_attachments"] = entries
        if revs:
            history = document.history(rev)
            ids = [each.partition("-")[2] for each in history]
            shown["_revisions"] = {"start": generation(rev), "ids": ids}
        return self.server.poison.shown(shown)

    def entry(self, attachment, contents):
        entry = {"content_type": attachment.content_type, "revpos": attachment.revpos,
                 "digest": attachment.digest(self.dialect.digest)}
        if contents == "data":
            # Decoded, beside the digest of what is stored.
            keeps = self.dialect.name == "sync-gateway"
            entry["data"] = base64.b64encode(attachment.stored if keeps else attachment.content).decode()
            if keeps and attachment.encoding:
                entry["encoding"] = attachment.encoding
            return entry
        entry["length"] = len(attachment.content)
        entry["follows" if contents else "stub"] = True
        if attachment.encoding and (contents or self.query.get("att_encoding_info") == "true"
                                    or self.dialect.name == "sync-gateway"):
            entry["encoding"], entry["encoded_length"] = attachment.encoding, len(attachment.stored)
        return entry

    def part(self, database, document, rev, since, revs, inner_headers=()):
        """A revision as a part of a multipart message, with its contents if it has some to send."""
        shown = self.shown(database, document, rev, since, "follows", revs)
        following = [name for name, entry in shown.get("_attachments", {}).items() if entry.get("follows")]
        if not following:
            return [*inner_headers, ("Content-Type", "application/json")], self.server.poison.text(shown)
        kind, body = self.related(document.nodes[rev], shown, following)
        return [*inner_headers, ("Content-Type", kind)], body

    def related(self, node, shown, following):
        parts = [([("Content-Type", "application/json")], self.server.poison.text(shown))]
        for name in following:
            attachment = node.attachments[name]
            text = name.replace("\\", "\\\\").replace('"', '\\"')
            headers = [("Content-Disposition", f'attachment; filename="{text}"'),
                       ("Content-Type", attachment.content_type), ("Content-Length", str(len(attachment.stored)))]
            if attachment.encoding:
                headers.append(("Content-Encoding", attachment.encoding))
            content = attachment.stored
            if "wrong-digest" == self.server.poison.kind(shown["_id"]):
                content = bytes(len(content))
            parts.append((headers, content))
        if self.server.poison.kind(shown["_id"]) == "missing-attachment":
            parts.pop()
        return multipart.write("multipart/related", parts)

    def wanted(self, document, revs, latest):
        """Pairs of a revision that was asked for and one to be shown, or None."""
        found = []
        for rev in revs:
            node = document.nodes.get(rev) if document else None
            answers = [rev] if node and node.body is not None else []
            if latest and document and rev in document.nodes:
                answers = document.descendants(rev)
            if self.server.poison.kind(document.id if document else None) == "missing":
                answers = []
            found += [(rev, each) for each in answers if (rev, each) not in found] or [(rev, None)]
        return found

    # MARK: One document

    def get_document(self, database, id):
        self.server.poison.before_read([id])
        query = self.query
        document = database.document(id)
        since = json.loads(query["atts_since"]) if "atts_since" in query else None
        revs = query.get("revs") == "true"
        accept = self.headers.get("Accept", "*/*")
        multi = self.dialect.has_multipart and "multipart/" in accept and not accept.startswith("application/json")
        if "open_revs" in query:
            if document is None:
                raise Refusal(404, "not_found", "missing")
            asked = document.leaves() if query["open_revs"] == "all" else json.loads(query["open_revs"])
            pairs = self.wanted(document, asked, query.get("latest") == "true")
            if multi or self.dialect.has_multipart and "json" not in accept:
                parts = []
                for rev, found in pairs:
                    if found:
                        parts.append(self.part(database, document, found, since, revs))
                    else:
                        parts.append((MISSING, json.dumps({"missing": rev}).encode()))
                return self.answer_multipart("multipart/mixed", parts)
            contents = "data" if since is not None or query.get("attachments") == "true" else None
            rows = [{"ok": self.shown(database, document, found, since, contents, revs)} if found else {"missing": rev}
                    for rev, found in pairs]
            return self.answer(200, rows)
        rev = query.get("rev")
        if rev is None and document is not None:
            rev = document.leaves()[0]
            if document.nodes[rev].deleted:
                raise Refusal(404, "not_found", "deleted")
        if document is None or rev not in document.nodes or document.nodes[rev].body is None:
            raise Refusal(404, "not_found", "missing")
        mine = self.allowed(None)
        if mine is not None and "rev" not in query and not document.channels() & mine:
            raise Refusal(403, "Forbidden", "forbidden")
        if query.get("attachments") == "true" and multi:
            headers, body = self.part(database, document, rev, since, revs)
            return self.answer_bytes(200, dict(headers)["Content-Type"], body)
        contents = "data" if since is not None or query.get("attachments") == "true" else None
        shown = self.shown(database, document, rev, since, contents, revs)
        if query.get("conflicts") == "true":
            conflicts = [leaf for leaf in document.leaves() if leaf != rev and not document.nodes[leaf].deleted]
            if conflicts:
                shown["_conflicts"] = conflicts
        return self.answer(200, shown, {"ETag": f'"{rev}"'})

    def put_document(self, database, id):
        body = self.body()
        kind = self.headers.get("Content-Type", "application/json")
        contents = {}
        if kind.startswith("multipart/related"):
            if not self.dialect.has_multipart:
                raise Refusal(415, "bad_content_type", "Content-Type must be application/json")
            fields, contents = self.from_related(kind, body)
        else:
            fields = self.parsed(body)
        fields["_id"] = id
        if self.query.get("new_edits") == "false":
            rev = self.insert_foreign(database, fields, contents)
        else:
            parent = self.told_parent() or fields.get("_rev")
            self.server.poison.before_write([fields], self.length)
            rev = database.edit(id, fields, parent)
        return self.answer(201, {"ok": True, "id": id, "rev": rev}, {"ETag": f'"{rev}"'})

    def told_parent(self):
        return self.query.get("rev") or self.headers.get("If-Match", "").strip('"') or None

    def from_related(self, kind, body):
        """The JSON of a message of multipart/related, and contents by name."""
        (headers, text), *parts = multipart.read(kind, body)
        fields = self.parsed(text)
        names = [name for name, entry in fields.get("_attachments", {}).items() if entry.get("follows")]
        if len(parts) != len(names):
            raise Refusal(400, "bad_request", "parts and entries differ in number")
        contents = {}
        for place, name in enumerate(names):
            headers, content = parts[place]
            entry = fields["_attachments"][name]
            length = entry.get("encoded_length" if entry.get("encoding") else "length")
            if self.dialect.is_strict and length != len(content):
                raise Refusal(400, "bad_request", f"{len(content)} bytes in the place of {length}: {name}")
            if not self.dialect.is_strict and "content-disposition" in headers:
                told = headers["content-disposition"].partition('filename="')[2].rstrip('"')
                name = told.replace('\\"', '"').replace("\\\\", "\\")
            if entry.get("encoding"):
                gzip.decompress(content)
            kind, _, digest = entry.get("digest", "").partition("-")
            if kind in ("md5", "sha1") and base64.b64encode(hashlib.new(kind, content).digest()).decode() != digest:
                raise Refusal(400, "bad_request", f"the content of {name} is not what its digest says")
            contents[name] = content
        return fields, contents

    def insert_foreign(self, database, fields, contents=None):
        """Stores a revision that was made elsewhere; throws a refusal."""
        rev = fields.get("_rev")
        revisions = fields.get("_revisions") or {}
        ids = revisions.get("ids")
        history = [f"{revisions['start'] - place}-{id}" for place, id in enumerate(ids)] if ids else [rev]
        if rev is None:
            rev = history[0]
        if history[0] != rev:
            raise Refusal(400, "doc_validation", "_revisions and _rev differ")
        if fields.get("_removed"):
            raise Refusal(400, "doc_validation", "Bad special document member: _removed")
        self.server.poison.before_write([fields], self.length)
        with database.changed:
            attachments = database.attachments(fields["_id"], fields, generation(rev), history[1:], contents or {})
            body = {key: value for key, value in fields.items() if not key.startswith("_")}
            database.insert(fields["_id"], history, bool(fields.get("_deleted")), body, attachments)
        return rev

    # MARK: Many

    def bulk_get(self, database):
        if not self.dialect.has_bulk_get:
            raise Refusal(404, "not_found", "missing")
        items = self.json_body()["docs"]
        self.server.poison.before_read([item["id"] for item in items])
        query = self.query
        revs, latest = query.get("revs") == "true", query.get("latest") == "true"
        accept = self.headers.get("Accept", "*/*")
        always = self.dialect.name == "sync-gateway"
        multi = always or "multipart/" in accept and "json" not in accept
        results, parts = [], []
        for item in items:
            document = database.document(item["id"])
            asked = [item["rev"]] if "rev" in item else document.leaves()[:1] if document else ["undefined"]
            docs = []
            for rev, found in self.wanted(document, asked, latest):
                since = item.get("atts_since")
                if found is None:
                    error = {"id": item["id"], "rev": rev, "error": "not_found", "reason": "missing"}
                    docs.append({"error": error})
                    text = json.dumps({**error, "status": 404} if always else error).encode()
                    parts.append((MISSING, text))
                elif multi:
                    named = [("X-Doc-ID", item["id"]), ("X-Rev-ID", found)] if always else []
                    if query.get("attachments") == "true":
                        parts.append(self.part(database, document, found, since, revs, named))
                    else:
                        shown = self.shown(database, document, found, None, None, revs)
                        parts.append(([*named, ("Content-Type", "application/json")], self.server.poison.text(shown)))
                else:
                    contents = "data" if query.get("attachments") == "true" or since else None
                    docs.append({"ok": self.shown(database, document, found, since, contents, revs)})
            results.append({"id": item["id"], "docs": docs})
        if multi:
            return self.answer_multipart("multipart/mixed", parts)
        return self.answer(200, {"results": results})

    def bulk_docs(self, database):
        body = self.json_body()
        answers = []
        if body.get("new_edits", True):
            for fields in body["docs"]:
                id = fields.get("_id") or self.server.new_id()
                try:
                    answers.append({"ok": True, "id": id, "rev": database.edit(id, fields, fields.get("_rev"))})
                except Refusal as refusal:
                    answers.append({"id": id, "error": refusal.error, "reason": refusal.reason})
            return self.answer(201, answers)
        self.server.poison.before_bulk(body["docs"], self.length)
        for fields in body["docs"]:
            try:
                rev = self.insert_foreign(database, fields)
                if self.dialect.answers_all:
                    answers.append({"id": fields["_id"], "rev": rev})
            except Refusal as refusal:
                # CouchDB: an attachment that is missing refuses the whole request.
                if refusal.status == 412 and not self.dialect.answers_all:
                    raise
                row = {"id": fields["_id"], "rev": fields.get("_rev"), "error": refusal.error, "reason": refusal.reason}
                answers.append({**row, "status": refusal.status} if self.dialect.answers_all else row)
        return self.answer(201, answers)

    # MARK: Attachments

    def get_attachment(self, database, id, name):
        self.server.poison.before_attachment(id)
        document = database.document(id)
        rev = self.query.get("rev") or (document.leaves()[0] if document else None)
        node = document.nodes.get(rev) if document else None
        attachment = node.attachments.get(name) if node and node.body is not None else None
        if attachment is None:
            raise Refusal(404, "not_found", "Document is missing attachment")
        content, headers = attachment.content, {"ETag": f'"{attachment.digest("md5")}"'}
        if self.server.poison.kind(id) == "wrong-digest":
            content = bytes(len(content))
        elif attachment.encoding and "gzip" in self.headers.get("Accept-Encoding", ""):
            content, headers["Content-Encoding"] = attachment.stored, "gzip"
        # What is stored encoded is sent as a whole.
        asked = self.headers.get("Range", "") if not attachment.encoding else ""
        if not asked.startswith("bytes=") or "," in asked:
            return self.answer_bytes(200, attachment.content_type, content, headers)
        first, _, last = asked[6:].partition("-")
        if not first:
            first, last = max(0, len(content) - int(last)), ""
        end = min(int(last) + 1, len(content)) if last else len(content)
        if int(first) >= len(content):
            raise Refusal(416, "requested_range_not_satisfiable", "Requested range not satisfiable",
                          {"Content-Range": f"bytes */{len(content)}"})
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{len(content)}"
        return self.answer_bytes(206, attachment.content_type, content[int(first):end], headers)

    def put_attachment(self, database, id, name):
        content, rev = self.body(), self.told_parent()
        document = database.document(id)
        node = document.nodes.get(rev) if document and rev else None
        fields = {**(node.body or {})} if node else {}
        kept = node.attachments if node else {}
        stubs = {each: {"stub": True, "revpos": found.revpos} for each, found in kept.items()}
        if self.command == "DELETE":
            if stubs.pop(name, None) is None:
                raise Refusal(404, "not_found", "Document is missing attachment")
        else:
            if self.headers.get("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            kind = self.headers.get("Content-Type", "application/octet-stream")
            stubs[name] = {"content_type": kind, "data": base64.b64encode(content).decode()}
        rev = database.edit(id, {**fields, "_attachments": stubs}, rev)
        return self.answer(200 if self.command == "DELETE" else 201, {"ok": True, "id": id, "rev": rev})


def channels_of(node):
    named = (node.body or {}).get("channels", [])
    return set(named) if isinstance(named, list) else {named}
