"""A server of CouchDB's replication protocol in memory, as test material, in three dialects.

    python3 server.py --dialect couchdb|sync-gateway|bare [--port N] [--read-only] [--max-body BYTES]
                      [--user NAME:PASSWORD[:CHANNEL,...]] [--counts FILE] [--database NAME]

It is written from the public pages of CouchDB and Sync Gateway. /_test/ has what tests ask of it: GET dump/DB
(everything as canonical JSON), GET and DELETE counts (requests and bytes by route), GET told (the sequences that feeds
began at), PUT poison/KIND with IDs (poison.py), POST restart (sequences of before rewind).
"""
import argparse
import base64
import gzip
import http.server
import json
import re
import secrets
import signal
import socket
import ssl
import sys
import threading
import urllib.parse
import uuid

import multipart
from dialects import DIALECTS
from documents import DocumentRoutes
from feeds import FeedRoutes
from poison import Poison, broken
from routes import DatabaseRoutes
from store import Database, Refusal


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 200

    def __init__(self, dialect, port=0, read_only=False, users=None, max_body=64 << 20):
        self.dialect, self.read_only, self.max_body = DIALECTS[dialect](), read_only, max_body
        # Name to password and channels; None: all channels.
        self.users = users or {}
        self.sessions, self.tokens, self.codes = {}, {}, {}
        self.databases, self.poison, self.uuid, self.stopping = {}, Poison(), uuid.uuid4().hex, False
        self.counts, self.told, self.counting = {}, [], threading.Lock()
        # Documents that _revs_diff was asked about.
        self.asked = 0
        # Other ways to log in: a check of OAuth 1 requests, and a provider of OpenID Connect (openid_runs.py).
        self.oauth, self.provider = None, None
        # TLS is spoken where there is a context; connections are kept to be cut.
        self.context, self.host, self.connections = None, "127.0.0.1", []
        # Called before a checkpoint is stored, with the database, its ID and its fields.
        self.watch = lambda database, id, fields: None
        super().__init__(("127.0.0.1", port), Handler)
        self.port = self.server_address[1]

    def start(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self):
        self.stopping = True
        for database in list(self.databases.values()):
            with database.changed:
                database.changed.notify_all()
        self.shutdown()
        self.server_close()

    def url(self, name):
        scheme = "https" if self.context else "http"
        return f"{scheme}://{self.host}:{self.port}/{name}" + ("/" if self.dialect.name == "sync-gateway" else "")

    def get_request(self):
        connection, address = super().get_request()
        self.connections.append(connection)
        if self.context:
            connection.settimeout(10)
            connection = self.context.wrap_socket(connection, server_side=True)
            connection.settimeout(None)
            self.connections[-1] = connection
        return connection, address

    def cut(self):
        """Ends all connections."""
        connections, self.connections = self.connections, []
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def create(self, name):
        self.databases[name] = Database(name, self.dialect.compresses, self.dialect.name == "sync-gateway")
        return self.databases[name]

    def restart(self):
        for database in self.databases.values():
            database.restarted_at = database.sequence

    def channels_of(self, user):
        return self.users[user][1] if user in self.users else None

    def new_id(self):
        return uuid.uuid4().hex

    def count(self, route, received, sent):
        with self.counting:
            row = self.counts.setdefault(route, {"requests": 0, "received": 0, "sent": 0})
            row["requests"] += 1
            row["received"] += received
            row["sent"] += sent

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError, ssl.SSLError)):
            super().handle_error(request, client_address)


class Handler(DatabaseRoutes, DocumentRoutes, FeedRoutes, http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def version_string(self):
        return self.server.dialect.software

    def log_message(self, *arguments):
        pass

    # MARK: A request

    def handle_request(self):
        self.dialect, self.user, self.sent, self.length, self.read = self.server.dialect, None, 0, 0, False
        path, _, query = self.path.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.steps = [urllib.parse.unquote(step) for step in path[1:].split("/")]
        self.route = f"{self.command} {self.pattern()}"
        try:
            try:
                self.admit()
                self.dispatch()
            except Refusal as refusal:
                self.refuse(refusal)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                self.refuse(Refusal(400, "bad_request", f"{type(error).__name__}: {error}"))
            self.wfile.flush()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        finally:
            if not self.route.split()[1].startswith("/_test"):
                self.server.count(self.route, self.length, self.sent)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_COPY = handle_request

    def pattern(self):
        """The path with DB, DOC and ATT for names."""
        steps = [step for step in self.steps if step]
        if not steps or steps[0].startswith("_"):
            return "/" + "/".join(steps[:2])
        if len(steps) == 1:
            return "/DB"
        if steps[1].startswith("_") and steps[1] not in ("_design", "_local"):
            return "/DB/" + steps[1]
        kind = f"{steps[1]}/" if steps[1] in ("_design", "_local") else ""
        return f"/DB/{kind}DOC" + ("/ATT" if len(steps) > (3 if kind else 2) else "")

    def admit(self):
        """Who asks, and whether they may."""
        self.user = self.who()
        first = self.steps[-1]
        open_to_all = self.steps == [""] or first in ("_up", "_session") or first.startswith("_oidc") or \
            self.steps[0] == "_test"
        if self.server.users and self.user is None and not open_to_all:
            raise Refusal(401, "unauthorized", "You are not authorized to access this db.",
                          {"WWW-Authenticate": 'Basic realm="peer"'})
        reads = self.command in ("GET", "HEAD") or first in (
            "_changes", "_revs_diff", "_bulk_get", "_all_docs", "_session", "_missing_revs")
        if self.server.read_only and not reads and self.steps[0] != "_test":
            raise Refusal(403, "forbidden", "read-only")

    def who(self):
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            name, _, password = base64.b64decode(value).decode().partition(":")
            return name if self.server.users.get(name, (None,))[0] == password else None
        if kind == "OAuth" and self.server.oauth:
            return self.server.oauth(self)
        if kind == "Bearer":
            if self.server.provider:
                return self.server.provider.user(value)
            return self.server.tokens.get(value)
        cookies = re.findall(r"(?:AuthSession|SyncGatewaySession)=([^;\s]+)", self.headers.get("Cookie", ""))
        return next((self.server.sessions[each] for each in cookies if each in self.server.sessions), None)

    # MARK: Bodies

    def body(self):
        """The body of the request, decoded."""
        self.read = True
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            pieces = []
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                piece = self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    break
                pieces.append(piece)
            body = b"".join(pieces)
        else:
            length = int(self.headers.get("Content-Length", 0))
            if length > self.server.max_body:
                self.close_connection = True
                raise Refusal(413, "too_large", "the request entity is too large")
            body = self.rfile.read(length)
            if len(body) < length:
                raise ConnectionResetError()
        self.length = len(body)
        if self.length > self.server.max_body:
            raise Refusal(413, "too_large", "the request entity is too large")
        is_content = len(self.steps) > 2 and self.steps[1] not in ("_design", "_local")
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" and not is_content else body

    def json_body(self):
        if not self.headers.get("Content-Type", "").startswith("application/json"):
            raise Refusal(415, "bad_content_type", "Content-Type must be application/json")
        return self.parsed(self.body())

    def parsed(self, text):
        try:
            value = json.loads(text or b"{}")
        except ValueError:
            raise Refusal(400, "bad_request", "invalid UTF-8 JSON") from None
        if not isinstance(value, dict):
            raise Refusal(400, "bad_request", "Request body must be a JSON object")
        return value

    # MARK: Answers

    def answer(self, status, value, headers=None):
        self.answer_bytes(status, "application/json", broken(json.dumps(value).encode()) + b"\n", headers)

    def answer_bytes(self, status, kind, content, headers=None):
        if not self.read and self.headers.get("Content-Length", "0") != "0":
            self.body()
        headers = dict(headers or {})
        if self.dialect.gzips and kind == "application/json" and len(content) > 1000 \
                and "gzip" in self.headers.get("Accept-Encoding", ""):
            content, headers["Content-Encoding"] = gzip.compress(content, 1), "gzip"
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(content), **headers}.items():
            self.send_header(name, str(value))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
            self.sent += len(content)

    def answer_multipart(self, kind, parts):
        self.answer_bytes(200, *multipart.write(kind, parts))

    def begin_chunks(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()

    def chunk(self, text):
        if text and self.command != "HEAD":
            content = text.encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))
            self.wfile.flush()
            self.sent += len(content)

    def end_chunks(self):
        if self.command != "HEAD":
            self.wfile.write(b"0\r\n\r\n")

    def refuse(self, refusal):
        self.answer(refusal.status, {"error": refusal.error, "reason": refusal.reason}, refusal.headers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dialect", choices=DIALECTS, default="couchdb")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--user", action="append", default=[])
    parser.add_argument("--max-body", type=int, default=64 << 20)
    parser.add_argument("--counts")
    parser.add_argument("--database", action="append", default=[])
    options = parser.parse_args()
    users = {}
    for each in options.user:
        name, password, *channels = each.split(":")
        users[name] = (password, set(channels[0].split(",")) if channels else None)
    server = Server(options.dialect, options.port, options.read_only, users, options.max_body)
    for name in options.database:
        server.create(name)
    print(server.port, flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    except (KeyboardInterrupt, SystemExit):
        pass
    if options.counts:
        with open(options.counts, "w") as file:
            json.dump(server.counts, file, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
