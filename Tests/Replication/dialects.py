"""What servers of the protocol do differently."""
import json
import secrets

from store import Refusal


class CouchDB:
    name = "couchdb"
    software = "CouchDB/3.3.3 (Erlang OTP/24)"
    digest = "md5"
    compresses = True
    has_bulk_get = has_commit = has_multipart = creates = True
    # Answers to new_edits=false: refusals only.
    answers_all = False
    # Parts are taken in the order of the entries, and have exactly their lengths.
    is_strict = True
    gzips = False

    def welcome(self, server):
        return {"couchdb": "Welcome", "version": "3.3.3", "git_sha": "40afbcfc7", "uuid": server.uuid,
                "features": ["scheduler"], "vendor": {"name": "The Apache Software Foundation"}}

    def information(self, database):
        deleted = sum(document.nodes[document.leaves()[0]].deleted for document in database.documents.values())
        return {"db_name": database.name, "purge_seq": "0-g1", "update_seq": self.sequence(database, database.sequence),
                "sizes": {"file": 1, "external": 1, "active": 1}, "props": {}, "doc_del_count": deleted,
                "doc_count": len(database.documents) - deleted, "disk_format_version": 8, "compact_running": False,
                "cluster": {"q": 1, "n": 1, "w": 1, "r": 1}, "instance_start_time": database.start_time}

    def sequence(self, database, number):
        """Another text each time, as from a cluster."""
        return f"{number}-g1AAAA{database.restarted_at:08x}{secrets.token_urlsafe(18)}"

    def last_sequence(self, database, number):
        return self.sequence(database, number)

    def number(self, database, text):
        text = text.strip('"')
        if text in ("0", ""):
            return 0
        number, _, opaque = text.partition("-")
        if not number.isdigit() or not opaque.startswith("g1AAAA"):
            raise Refusal(400, "bad_request", "Malformed sequence supplied in 'since' parameter.")
        # After a restart some of what was told is told again.
        if int(opaque[6:14], 16) != database.restarted_at:
            return max(0, min(int(number), database.restarted_at) - 10)
        return int(number)


class SyncGateway(CouchDB):
    name = "sync-gateway"
    software = "Couchbase Sync Gateway/3.1.0"
    digest = "sha1"
    compresses = creates = False
    answers_all = True
    is_strict = False
    gzips = True

    def welcome(self, server):
        return {"couchdb": "Welcome", "vendor": {"name": "Couchbase Sync Gateway", "version": "3.1"},
                "version": "Couchbase Sync Gateway/3.1.0(588;1a2b3c4) EE"}

    def information(self, database):
        return {"db_name": database.name, "update_seq": database.sequence, "committed_update_seq": database.sequence,
                "instance_start_time": int(database.start_time), "compact_running": False, "purge_seq": 0,
                "disk_format_version": 0, "state": "Online", "server_uuid": database.uuid}

    def sequence(self, database, number):
        return number

    def last_sequence(self, database, number):
        return str(number)

    def number(self, database, text):
        if not text.strip('"').isdigit():
            raise Refusal(400, "Bad Request", "Invalid sequence")
        return int(text.strip('"'))


class Bare(CouchDB):
    name = "bare"
    software = "bare"
    compresses = False
    has_bulk_get = has_commit = has_multipart = False

    def welcome(self, server):
        return {"couchdb": "Welcome", "version": "1.2.0"}

    def information(self, database):
        return {"db_name": database.name, "doc_count": len(database.documents), "instance_start_time": "0",
                "update_seq": self.sequence(database, database.sequence)}

    def sequence(self, database, number):
        return [number, "bare"]

    def number(self, database, text):
        if text == "0":
            return 0
        try:
            number, _ = json.loads(text)
            return int(number)
        except (ValueError, TypeError):
            raise Refusal(400, "bad_request", "since") from None


DIALECTS = {dialect.name: dialect for dialect in (CouchDB, SyncGateway, Bare)}
