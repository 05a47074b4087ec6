"""Documents that cannot be passed on, each in a way of its own."""
import json

from store import Refusal

# What a source of a pull does.
READ = ["read-400", "read-403", "bad-json", "missing", "missing-attachment", "wrong-digest", "unknown-member",
        "huge-number", "bad-revisions", "read-too-large"]
# What a target of a push answers.
# `no-stubs` besides is no poison: the document is taken with all its contents only.
WRITE = ["forbidden", "bulk-400", "too-large", "missing-stub"]


class Poison:
    def __init__(self):
        self.kinds = {}

    def kind(self, id):
        return self.kinds.get(id)

    def before_read(self, ids):
        """400 and 403 for the whole request."""
        for id in ids:
            if self.kind(id) in ("read-400", "read-403"):
                status = int(self.kind(id)[5:])
                raise Refusal(status, "forbidden" if status == 403 else "bad_request", "This document is not read.")

    def before_attachment(self, id):
        if self.kind(id) == "missing-attachment":
            raise Refusal(404, "not_found", "Document is missing attachment")

    def before_bulk(self, documents, length):
        """Refusals of a whole request for one document in it."""
        for fields in documents:
            if self.kind(fields.get("_id")) == "bulk-400":
                raise Refusal(400, "bad_request", "One of the documents is bad.")
            if self.kind(fields.get("_id")) == "too-large":
                raise Refusal(413, "too_large", "the request entity is too large")

    def before_write(self, documents, length):
        self.before_bulk(documents, length)
        for fields in documents:
            if self.kind(fields["_id"]) == "forbidden":
                raise Refusal(403, "forbidden", "Nobody may write this one.")
            entries = (fields.get("_attachments") or {}).values()
            refuses_stubs = self.kind(fields["_id"]) == "no-stubs" and any(entry.get("stub") for entry in entries)
            if refuses_stubs or self.kind(fields["_id"]) == "missing-stub":
                raise Refusal(412, "missing_stub", "Invalid attachment stub")

    def shown(self, shown):
        kind = self.kind(shown["_id"])
        if kind == "bad-json":
            shown["bad"] = "@@BAD@@"
        elif kind == "huge-number":
            shown["huge"] = "@@HUGE@@"
        elif kind == "unknown-member":
            shown["_unknown"] = True
        elif kind == "bad-revisions" and "_revisions" in shown:
            shown["_revisions"]["start"] += 7
        elif kind == "read-too-large":
            shown["large"] = "x" * 40_000_000
        return shown

    def text(self, value):
        return broken(json.dumps(value).encode())


def broken(text):
    if b"@@" not in text:
        return text
    return text.replace(b'"@@BAD@@"', b'{"half": tru').replace(b'"@@HUGE@@"', b"1e99999")
