"""Routes of the server: the feeds of changes."""
import json
import time

import mango
from store import Refusal


class FeedRoutes:
    def changes(self, database):
        options = dict(self.query)
        body = self.json_body() if self.command == "POST" else {}
        for name, value in body.items() if self.dialect.name == "sync-gateway" else []:
            options.setdefault(name, value if isinstance(value, str) else json.dumps(value))
        since = options.get("since", "0")
        since = database.sequence if since.strip('"') == "now" else self.dialect.number(database, since)
        self.server.told.append({"route": "_changes", "since": since})
        feed = options.get("feed", "normal")
        limit = int(options["limit"]) if "limit" in options else None
        timeout = min(int(options.get("timeout", 60_000)), 60_000) / 1000
        heartbeat = options.get("heartbeat")
        heartbeat = None if heartbeat in (None, "false") else 60 if heartbeat == "true" else int(heartbeat) / 1000
        taken = self.feed_filter(database, options, body)
        if feed == "normal":
            rows, last = self.feed_rows(database, since, limit, options, taken)
            return self.answer_page(database, rows, last)
        if feed not in ("longpoll", "continuous"):
            raise Refusal(400, "bad_request", "Supported `feed` types: normal, continuous, longpoll")
        self.begin_chunks("application/json")
        self.chunk('{"results":[\n' if feed == "longpoll" else "")
        quiet_until = time.monotonic() + timeout
        told = 0
        while True:
            left = None if limit is None else limit - told
            with database.changed:
                rows, last = self.feed_rows(database, since, left, options, taken)
                if not rows and not self.server.stopping:
                    wait = heartbeat if heartbeat else max(0, quiet_until - time.monotonic())
                    database.changed.wait(wait)
                    rows, last = self.feed_rows(database, since, left, options, taken)
            since = last
            told += len(rows)
            if rows:
                quiet_until = time.monotonic() + timeout
                lines = [json.dumps(row) for row in rows]
                self.chunk(",\n".join(lines) + "\n" if feed == "longpoll" else "\n".join(lines) + "\n")
            elif heartbeat:
                self.chunk("\n")
            ended = self.server.stopping or limit is not None and told >= limit
            ended = ended or not heartbeat and time.monotonic() >= quiet_until
            if ended or feed == "longpoll" and rows:
                text = json.dumps(self.end_of_feed(database, since))
                self.chunk("],\n" + text[1:] + "\n" if feed == "longpoll" else text + "\n")
                return self.end_chunks()

    def answer_page(self, database, rows, last):
        """A row on each line, as clients expect that read them one by one; CouchDB sends it in chunks."""
        end = self.end_of_feed(database, last)
        text = '{"results":[\n' + ",\n".join(map(json.dumps, rows)) + "\n],\n" + json.dumps(end)[1:]
        if self.dialect.name != "couchdb":
            return self.answer_bytes(200, "application/json", text.encode())
        if self.command == "POST" and not self.read:
            self.body()
        self.begin_chunks("application/json")
        for start in range(0, len(text), 10_000):
            self.chunk(text[start:start + 10_000])
        self.end_chunks()

    def end_of_feed(self, database, last):
        end = {"last_seq": self.dialect.last_sequence(database, last)}
        if self.dialect.name == "couchdb":
            end["pending"] = sum(1 for _ in database.rows(last))
        return end

    def feed_filter(self, database, options, body):
        """A function of a document that says whether it is told."""
        name = options.get("filter")
        if name is None:
            return lambda document: True
        if name == "_doc_ids":
            wanted = body.get("doc_ids") or json.loads(options.get("doc_ids", "null"))
            if wanted is None:
                raise Refusal(400, "bad_request", "`doc_ids` filter parameter is not provided.")
            if self.dialect.name == "sync-gateway" and options.get("feed") in ("longpoll", "continuous"):
                raise Refusal(400, "Bad Request", "_doc_ids filter is only for feed=normal")
            return lambda document: document.id in wanted
        if name == "_selector" and self.dialect.name != "sync-gateway":
            selector = body.get("selector")
            if selector is None:
                raise Refusal(400, "bad_request", "Selector must be specified in POST payload")

            def judged(document):
                rev = document.leaves()[0]
                return mango.matches(selector, {**(document.nodes[rev].body or {}), "_id": document.id, "_rev": rev})
            return judged
        if name == "sync_gateway/bychannel" and self.dialect.name == "sync-gateway":
            return lambda document: True
        raise Refusal(404, "not_found", "missing")

    def feed_rows(self, database, since, limit, options, taken):
        """Rows behind a number, and the number to go on with."""
        style = options.get("style", "main_only")
        wanted = set(options["channels"].split(",")) if "channels" in options else None
        rows = []
        with database.changed:
            last = told = since
            for document in database.rows(since):
                if limit is not None and len(rows) >= limit:
                    return rows, last
                last = document.sequence
                if not taken(document):
                    continue
                row = self.row(database, document, style, wanted)
                if row is not None:
                    if options.get("include_docs") == "true" and "removed" not in row:
                        rev = document.leaves()[0]
                        row["doc"] = self.shown(database, document, rev)
                    rows.append(row)
                    told = last
            if self.dialect.name == "sync-gateway":
                # It does not say how far it has looked.
                return rows, told
            return rows, max(last, database.sequence) if limit is None or len(rows) < limit else last

    def row(self, database, document, style, wanted):
        leaves = document.leaves()
        row = {"seq": self.dialect.sequence(database, document.sequence), "id": document.id}
        allowed = self.allowed(wanted)
        if allowed is not None and not document.channels() & allowed:
            removed = sorted(channel for channel in document.removals if channel in allowed)
            if not removed:
                return None
            return {**row, "removed": removed, "changes": [{"rev": leaves[0]}]}
        row["changes"] = [{"rev": rev} for rev in (leaves if style == "all_docs" else leaves[:1])]
        if document.nodes[leaves[0]].deleted:
            row["deleted"] = True
        return row

    def allowed(self, wanted):
        """The channels that the user sees of those that are wanted; None: all documents."""
        if self.dialect.name != "sync-gateway":
            return None
        mine = self.server.channels_of(self.user)
        if mine is None:
            return wanted
        return mine if wanted is None else mine & wanted
