"""Logins: right ones, wrong ones, and none; and that secrets are nowhere where they do not belong."""
import os
import time

from sample import Sample
from trial import Pair, template
from watched import Watch, leaks

USER, PASSWORD, TOKEN = "waldo", "wine's dark s\u00e9a", "t0ken-of-the-trials"


def run(trials):
    documents = Sample(71).documents(60)
    filled = template(trials, documents)
    os.makedirs(trials.root, exist_ok=True)
    files = {}
    texts = {"right": PASSWORD, "wrong": "secret-but-wrong", "token": TOKEN, "old": "secret-old-token"}
    for name, text in texts.items():
        files[name] = os.path.join(trials.root, name)
        with open(os.open(files[name], os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(text + "\n")
    ways = {
        "password": (["--user", USER, "--password-file", files["right"]], True),
        "wrong password": (["--user", USER, "--password-file", files["wrong"]], False),
        "session": (["--user", USER, "--password-file", files["right"], "--session"], True),
        "session, wrong password": (["--user", USER, "--password-file", files["wrong"], "--session"], False),
        "token": (["--token-file", files["token"]], True),
        "wrong token": (["--token-file", files["old"]], False),
        "nobody": ([], False),
    }
    for dialect in ("couchdb", "sync-gateway"):
        for direction in ("pull", "push"):
            for way, (options, is_right) in ways.items():
                one(trials, f"{dialect}, {direction}, {way}", dialect, direction, filled, documents, options, is_right)
    ended_sessions(trials, filled, documents, files)
    readable(trials, filled, files)


def one(trials, name, dialect, direction, filled, documents, options, is_right):
    pair = Pair(trials, dialect, direction, filled, documents, users={USER: (PASSWORD, None)})
    pair.server.tokens[TOKEN] = USER
    process = trials.start(*pair.ends(), *options, "--log", "all=debug")
    watch = Watch(process)
    result = trials.wait(process, 60)
    requests = sum(row["requests"] for row in pair.server.counts.values())
    if is_right:
        trials.check(name, pair.difference() if result.status == 0 else result)
    else:
        trials.check(name, "" if result.status == 1 else result)
        trials.check(f"{name}: it gives up", f"{requests} requests" if requests > 6 else "")
    if "--session" in options and is_right:
        logins = sum(row["requests"] for route, row in pair.server.counts.items() if route.endswith("/_session"))
        trials.check(f"{name}: once", f"{logins} logins" if logins > 2 else "")
    hidden = [PASSWORD, TOKEN, "secret-but-wrong", "secret-old-token", *pair.server.sessions]
    trials.check(f"{name}: secrets", leaks(hidden, pair, result, watch))
    pair.close()


def ended_sessions(trials, filled, documents, files):
    """The server forgets sessions after a quarter of a second: the program begins new ones."""
    pair = Pair(trials, "couchdb", "pull", filled, documents, users={USER: (PASSWORD, None)})
    began, counted = {}, pair.server.count

    def forget(*arguments):
        now = time.monotonic()
        for session in list(pair.server.sessions):
            if now - began.setdefault(session, now) > 0.25:
                pair.server.sessions.pop(session, None)
        # So that the run takes some of these times.
        time.sleep(0.1)
        counted(*arguments)

    pair.server.count = forget
    result = pair.run("--user", USER, "--password-file", files["right"], "--session", seconds=60)
    logins = pair.server.counts.get("POST /_session", {"requests": 0})["requests"]
    problem = pair.difference() if result.status == 0 else result
    trials.check("sessions that end", problem or (f"{logins} logins" if logins < 2 else ""))
    pair.close()


def readable(trials, filled, files):
    """Over plain HTTP to another computer, which there is none of at this address."""
    local = filled.copy(trials.folder())
    options = ["--user", USER, "--password-file", files["right"]]
    refused = trials.run(local.path, "http://192.0.2.1:1/db", *options)
    is_right = refused.status == 1 and "--allow-insecure-login" in refused.output and refused.seconds < 5
    trials.check("plain HTTP", "" if is_right else refused)
    process = trials.start(local.path, "http://192.0.2.1:1/db", *options, "--allow-insecure-login")
    process.send_signal(15)
    allowed = trials.wait(process, 60)
    trials.check("plain HTTP, by explicit word", "it refused" if "495" in allowed.output else "")
