"""Logins of replications that clients of `settee serve` order, and who may order what."""
import base64
import json
import os
import socket
import time

from replicator import Peer
from sample import Sample
from servers import Server as Settee, users_file
from trial import Pair, template

USER, PASSWORD, TOKEN = "waldo", "wine's dark s:\u00e9a@/", "t0ken-of-the-trials"


def run(trials):
    documents = Sample(43).documents(40)
    filled = template(trials, documents)
    ways = {
        "basic": ({"auth": {"basic": {"username": USER, "password": PASSWORD}}}, 200),
        "a wrong password": ({"auth": {"basic": {"username": USER, "password": "secret-but-wrong"}}}, 401),
        "a header": ({"headers": {"Authorization": "Bearer " + TOKEN}}, 200),
        "a wrong header": ({"headers": {"Authorization": "Bearer secret-old-token"}}, 401),
        "nobody": ({}, 401),
        "the URL": (None, 200),
    }
    for direction in ("pull", "push"):
        for name, (login, status) in ways.items():
            one(trials, f"order, {direction}, {name}", direction, filled, documents, login, status)
    continuous(trials, documents, filled)
    rights(trials, filled)


def one(trials, name, direction, filled, documents, login, status):
    pair = Pair(trials, "couchdb", direction, filled, documents, users={USER: (PASSWORD, None)})
    pair.server.tokens[TOKEN] = USER
    remote = {"url": pair.url(), **(login or {})}
    if login is None:
        remote = pair.url().replace("://", "://waldo:wine's%20dark%20s%3A%C3%A9a%40%2F@")
    order = {"source": "db", "target": remote} if direction == "push" else {"source": remote, "target": "db"}
    with pair.local.serve() as server:
        answer = Peer(server.url).request("POST", "/_replicate", order, expected=range(600))
        server.stop()
    problem = pair.difference() if answer[0] == 200 else ""
    trials.check(name, problem if answer[0] == status else f"{answer[0]} {answer[2][:300]}")
    trials.check(f"{name}: secrets", secrets_in(pair, answer[2]))
    pair.close()


def secrets_in(pair, *texts):
    """The answer, the log and the folder of the server."""
    paths = [pair.local.folder + ".log"]
    for folder, _, names in os.walk(pair.local.folder):
        paths += [os.path.join(folder, name) for name in names]
    texts = list(texts)
    for path in paths:
        with open(path, "rb") as file:
            texts.append(file.read())
    for secret in (PASSWORD, TOKEN, "secret-but-wrong", "secret-old-token", "wine's%20dark"):
        if any(secret.encode() in text for text in texts):
            return "one is told or kept"
    return ""


def continuous(trials, documents, filled):
    """A task tells nothing of its login."""
    pair = Pair(trials, "couchdb", "pull", filled, documents, users={USER: (PASSWORD, None)})
    remote = {"url": pair.url(), "auth": {"basic": {"username": USER, "password": PASSWORD}},
              "headers": {"X-Key": TOKEN}}
    with pair.local.serve() as server:
        peer = Peer(server.url)
        answer = peer.request("POST", "/_replicate", {"source": remote, "target": "db", "continuous": True})
        end = time.monotonic() + 30
        while not pair.remote.locals and time.monotonic() < end:
            time.sleep(0.1)
        tasks, told = peer.json("GET", "/_active_tasks"), peer.request("GET", "/_active_tasks")[2]
        metrics = peer.request("GET", "/_node/_local/_prometheus")[2]
        cancel = {"replication_id": json.loads(answer[2])["_local_id"], "cancel": True}
        peer.request("POST", "/_replicate", cancel)
        server.stop()
    trials.check("order, continuous", pair.difference() if tasks else "no task")
    trials.check("order, continuous: secrets", secrets_in(pair, answer[2], told, metrics))
    pair.close()


def rights(trials, filled):
    """Only administrators order, and files are no databases. Nothing is sent for an order that is refused."""
    local = filled.copy(trials.folder())
    users = users_file(os.path.join(trials.root, "order-users"), {
        "ida": ("reader-s secret", ["reader"]), "otto": ("writer-s secret", ["writer"]),
        "root": ("admin-s secret", ["admin"])})
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/db"
    with Settee(trials.program, local.folder, options=["--users", users]) as server:
        for name, password, status in (("ida", "reader-s secret", 403), ("otto", "writer-s secret", 403),
                                       ("root", "wrong", 401)):
            answer = ask(server, name, password, {"source": "db", "target": url})
            trials.check(f"order, by {name}", "" if answer[0] == status else f"{answer[0]} {answer[2][:200]}")
        sides = ["file:///etc/passwd", "/etc/passwd", "../db", "db/../../etc", ".settee-sessions", "ftp://127.0.0.1/db",
                 "unix:///run/x.sock", "http+unix://%2Frun%2Fx/db", "gopher://127.0.0.1/", "http:///db", "http:db",
                 "http://127.0.0.1", url + "?x=1", url + "#x", url + "\r\nX: y", "\\\\127.0.0.1\\db"]
        for side in sides:
            for order in ({"source": side, "target": "db"}, {"source": "db", "target": side, "create_target": True}):
                answer = ask(server, "root", "admin-s secret", order)
                is_right = answer[0] in (400, 404) and b"root:" not in answer[2]
                trials.check(f"order, of {side!r}", "" if is_right else f"{answer[0]} {answer[2][:200]}")
        found = sorted(os.listdir(local.folder))
        trials.check("order, no files made", "" if found == [".settee-sessions", "db.settee"] else str(found))
        # Not a word of the password to another computer without TLS.
        order = {"source": "db", "target": {"url": "http://192.0.2.1:1/db",
                                            "auth": {"basic": {"username": "a", "password": PASSWORD}}}}
        began = time.monotonic()
        answer = ask(server, "root", "admin-s secret", order)
        is_right = answer[0] >= 400 and time.monotonic() - began < 5 and PASSWORD.encode() not in answer[2]
        trials.check("order, a login over plain HTTP", "" if is_right else f"{answer[0]} {answer[2][:200]}")
        server.stop()
    try:
        listening.accept()
        trials.check("order, refused", "something was sent")
    except BlockingIOError:
        trials.check("order, refused", "")
    listening.close()


def ask(server, name, password, order):
    login = base64.b64encode(f"{name}:{password}".encode()).decode()
    return Peer(server.url, headers={"Authorization": f"Basic {login}"}).request(
        "POST", "/_replicate", order, expected=range(600))
