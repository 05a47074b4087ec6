"""A proxy that makes one fault, and counts requests and bytes.

    python3 proxy.py TARGET_PORT [--port N] [--fault KIND --at N --times N --status N --retry-after SECONDS
                     --seconds SECONDS --limit BYTES]

Faults: cut-answer at a byte of all answers, and again every so many bytes; cut-request the same of all requests;
cut-before and cut-after: the Nth request is lost, or its answer is; half-open: the Nth request is never answered;
stall: half of its answer comes; delay: each request waits; status: the Nth request gets it; html: 200 with a page;
truncated: half of its answer as if it were all; too-large: 413 for bodies over a limit. At SIGTERM it prints what it
did, as JSON.
"""
import argparse
import json
import signal
import socket
import struct
import sys
import threading
import time
from dataclasses import dataclass

KINDS = ["none", "cut-answer", "cut-request", "cut-before", "cut-after", "half-open", "stall", "delay", "status",
         "html", "truncated", "too-large"]
JSON = "application/json"
# These are made at a request's number.
OF_REQUESTS = {"cut-before", "cut-after", "half-open", "stall", "status", "html", "truncated"}


@dataclass
class Fault:
    kind: str = "none"
    at: int = 0
    times: int = 1
    status: int = 503
    retry_after: int | None = None
    seconds: float = 0
    limit: int = 0


class Gone(Exception):
    """The connection is to be dropped."""


class Proxy:
    def __init__(self, target, fault=None, port=0):
        self.target, self.fault, self.lock = target, fault or Fault(), threading.Lock()
        # Of the bytes of answers, `sent` has those too that were kept at a cut.
        self.requests = self.received = self.sent = self.kept = self.connections = 0
        self.routes, self.done, self.sockets, self.stopping = {}, [], set(), threading.Event()
        # When each request came: a storm shows.
        self.times = []
        self.listener = socket.create_server(("127.0.0.1", port), backlog=200)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.stopping.is_set():
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def stop(self):
        self.stopping.set()
        # A blocked accept does not notice that its socket is closed.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for each in list(self.sockets):
            drop(each)

    def report(self):
        return {"fault": vars(self.fault), "done": self.done, "requests": self.requests, "received": self.received,
                "sent": self.sent - self.kept, "connections": self.connections, "routes": self.routes}

    def busiest_second(self):
        """The most requests that came within a second."""
        most = first = 0
        for last, time in enumerate(self.times):
            while time - self.times[first] > 1:
                first += 1
            most = max(most, last - first + 1)
        return most

    # MARK: A connection

    def serve(self, client):
        upstream = None
        try:
            upstream = socket.create_connection(("127.0.0.1", self.target))
            upstream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets |= {client, upstream}
            reader, answers = client.makefile("rb"), upstream.makefile("rb")
            while self.exchange(client, reader, upstream, answers):
                pass
        except (OSError, Gone, ValueError):
            pass
        finally:
            for each in (client, upstream):
                if each is not None:
                    self.sockets.discard(each)
                    drop(each)

    def exchange(self, client, reader, upstream, answers):
        """One request and its answer. Returns whether another may follow."""
        line, headers, head = read_head(reader)
        if line is None:
            return False
        method, path = line.split()[:2]
        with self.lock:
            self.requests += 1
            number = self.requests
            self.times.append(time.monotonic())
            row = self.routes.setdefault(f"{method} {pattern(path)}", [0, 0, 0])
            row[0] += 1
        action = self.action(number)
        if action == "delay":
            self.stopping.wait(self.fault.seconds)
        if action == "half-open":
            self.tell(number, line)
            reader.read()
            raise Gone()
        if action == "cut-before":
            self.tell(number, line)
            raise Gone()
        length = int(headers.get("content-length", 0))
        if action == "too-large" and length > self.fault.limit:
            self.tell(number, line)
            return self.own_answer(client, row, 413, JSON, b'{"error":"too_large","reason":"proxy"}', closes=True)
        if action in ("status", "html"):
            self.tell(number, line)
            for piece in body(reader, headers):
                self.count_received(row, len(piece))
            if action == "html":
                page = b"<html><body>Log in to the hotel's network</body></html>"
                return self.own_answer(client, row, 200, "text/html", page)
            return self.own_answer(client, row, self.fault.status, JSON, b'{"error":"busy","reason":"proxy"}')
        self.forward(head, body(reader, headers), upstream, row)
        return self.pass_answer(method, client, answers, row, action, number, line)

    def action(self, number):
        fault = self.fault
        if fault.kind in OF_REQUESTS:
            return fault.kind if fault.at <= number < fault.at + fault.times else "none"
        return fault.kind

    def tell(self, number, line):
        with self.lock:
            self.done.append(f"{self.fault.kind} at request {number}: {line}")

    def forward(self, head, pieces, upstream, row):
        try:
            self.send_up(upstream, head, row)
            for piece in pieces:
                self.send_up(upstream, piece, row)
        except (BrokenPipeError, ConnectionResetError):
            # It may have answered before it read everything.
            pass

    def send_up(self, upstream, piece, row):
        before = self.count_received(row, len(piece))
        cut = self.cut("cut-request", before, len(piece))
        if cut is not None:
            upstream.sendall(piece[:cut])
            raise Gone()
        upstream.sendall(piece)

    def cut(self, kind, before, length):
        """Where a piece is cut, if it is. Every `at` bytes one is, `times` times."""
        fault = self.fault
        turn = max(1, -(-before // max(1, fault.at)))
        place = turn * fault.at - before
        if fault.kind != kind or turn > fault.times or place >= length:
            return None
        self.done.append(f"{kind} at byte {before + place}")
        return place

    def count_received(self, row, length):
        with self.lock:
            before = self.received
            self.received += length
            row[1] += length
            return before

    def pass_answer(self, method, client, answers, row, action, number, line):
        while True:
            status_line, headers, head = read_head(answers)
            if status_line is None:
                raise Gone()
            status = int(status_line.split()[1])
            if status >= 200:
                break
            self.send_down(client, head, row)
        has_body = method != "HEAD" and status not in (204, 304)
        closes = has_body and "content-length" not in headers and "chunked" not in headers.get("transfer-encoding", "")
        pieces = body(answers, headers, closes) if has_body else []
        if action == "cut-after":
            for _ in pieces:
                pass
            self.tell(number, line)
            raise Gone()
        if action in ("truncated", "stall"):
            content = b"".join(pieces)
            if "chunked" in headers.get("transfer-encoding", ""):
                content = dechunked(content)
            half = content[:len(content) // 2]
            self.tell(number, line)
            shown = len(half) if action == "truncated" else len(content)
            kept = [each for each in head.split(b"\r\n")
                    if not each.lower().startswith((b"content-length", b"transfer-encoding"))]
            head = b"\r\n".join(kept[:-2] + [b"Content-Length: %d" % shown, b"", b""])
            self.send_down(client, head + half, row)
            if action == "stall":
                self.stopping.wait(600)
                raise Gone()
            return True
        self.send_down(client, head, row)
        for piece in pieces:
            self.send_down(client, piece, row)
        return not closes and headers.get("connection", "").lower() != "close"

    def send_down(self, client, piece, row):
        with self.lock:
            before = self.sent
            self.sent += len(piece)
            row[2] += len(piece)
        cut = self.cut("cut-answer", before, len(piece))
        if cut is None:
            return client.sendall(piece)
        with self.lock:
            self.kept += len(piece) - cut
            row[2] -= len(piece) - cut
        client.sendall(piece[:cut])
        # What was sent is to arrive, also at one who is slow to read: a reset would take it away.
        client.shutdown(socket.SHUT_WR)
        client.settimeout(5)
        while client.recv(65536):
            pass
        raise Gone()

    def own_answer(self, client, row, status, kind, content, closes=False):
        head = f"HTTP/1.1 {status} Proxy\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
        if self.fault.retry_after is not None and status in (429, 503):
            head += f"Retry-After: {self.fault.retry_after}\r\n"
        if closes:
            head += "Connection: close\r\n"
        self.send_down(client, head.encode() + b"\r\n" + content, row)
        return not closes


def drop(connection):
    """Closes a connection with a reset, at once."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def read_head(reader):
    """The first line, the headers by lower-case name, and all bytes; None at the end."""
    lines = []
    while True:
        line = reader.readline()
        if not line:
            return None, {}, b""
        lines.append(line)
        if line == b"\r\n":
            break
    headers = {}
    for line in lines[1:-1]:
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return lines[0].decode("latin-1").strip(), headers, b"".join(lines)


def body(reader, headers, closes=False):
    """The body's bytes as they come, with the framing of chunks."""
    if "chunked" in headers.get("transfer-encoding", ""):
        while True:
            line = reader.readline()
            if not line:
                raise Gone()
            size = int(line.split(b";")[0], 16)
            yield line
            yield from exactly(reader, size + 2)
            if size == 0:
                return
    elif closes:
        while piece := reader.read1(65536):
            yield piece
    else:
        yield from exactly(reader, int(headers.get("content-length", 0)))


def exactly(reader, length):
    while length > 0:
        piece = reader.read1(min(length, 65536))
        if not piece:
            raise Gone()
        length -= len(piece)
        yield piece


def dechunked(content):
    found = []
    while True:
        line, _, content = content.partition(b"\r\n")
        size = int(line.split(b";")[0], 16)
        if size == 0:
            return b"".join(found)
        found.append(content[:size])
        content = content[size + 2:]


def pattern(path):
    steps = [step for step in path.partition("?")[0].split("/") if step]
    if not steps:
        return "/"
    if len(steps) == 1:
        return "/DB"
    if steps[1] in ("_local", "_design"):
        return f"/DB/{steps[1]}/DOC"
    if steps[1].startswith("_"):
        return "/DB/" + steps[1]
    return "/DB/DOC" + ("/ATT" if len(steps) > 2 else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("target", type=int)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fault", choices=KINDS, default="none")
    for name in ("at", "limit"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--status", type=int, default=503)
    parser.add_argument("--retry-after", type=int)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    fault = Fault(options.fault, options.at, options.times, options.status, options.retry_after, options.seconds,
                  options.limit)
    proxy = Proxy(options.target, fault, options.port)
    print(proxy.port, flush=True)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    while not ended.wait(0.2):
        pass
    proxy.stop()
    print(json.dumps(proxy.report()))


if __name__ == "__main__":
    sys.exit(main())
