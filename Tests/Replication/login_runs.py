"""Logins: right ones, wrong ones, and none."""
import os

from sample import Sample
from trial import Pair, template

USER, PASSWORD, TOKEN = "waldo", "wine's dark sea", "t0ken-of-the-trials"


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
        "token": (["--token-file", files["token"]], True),
        "wrong token": (["--token-file", files["old"]], False),
        "nobody": ([], False),
    }
    for dialect in ("couchdb", "sync-gateway"):
        for direction in ("pull", "push"):
            for way, (options, is_right) in ways.items():
                one(trials, f"{dialect}, {direction}, {way}", dialect, direction, filled, documents, options, is_right)


def one(trials, name, dialect, direction, filled, documents, options, is_right):
    pair = Pair(trials, dialect, direction, filled, documents, users={USER: (PASSWORD, None)})
    pair.server.tokens[TOKEN] = USER
    result = pair.run(*options, seconds=60)
    if is_right:
        trials.check(name, pair.difference() if result.status == 0 else result)
    else:
        trials.check(name, "" if result.status == 1 else result)
        requests = sum(row["requests"] for row in pair.server.counts.values())
        trials.check(f"{name}: it gives up", f"{requests} requests" if requests > 6 else "")
    told = [secret for secret in (PASSWORD, TOKEN, "secret-but-wrong", "secret-old-token") if secret in result.output]
    trials.check(f"{name}: no secret is told", "one is" if told else "")
    pair.close()
