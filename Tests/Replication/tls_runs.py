"""Certificates of servers and clients: which are trusted, and that nothing is sent to others."""
import os
import socket
import ssl
import subprocess
import time
import warnings

from certificates import Certificate, context
from sample import Sample
from sides import Local
from trial import Pair, kill, template


class Material:
    def __init__(self, folder):
        self.folder = folder
        self.root = Certificate("root", is_authority=True)
        self.middle = Certificate("middle", self.root, is_authority=True)
        self.other = Certificate("other", is_authority=True)
        self.ca, _ = self.root.write(folder, "root")
        self.other_ca, _ = self.other.write(folder, "other")

    def leaf(self, name, issuer="middle", **options):
        made = Certificate(name, getattr(self, issuer) if issuer else None, **options)
        return made, made.write(self.folder, name)


def run(trials):
    # TLS 1.1, on purpose.
    warnings.simplefilter("ignore", DeprecationWarning)
    documents = Sample(17).documents(20)
    filled = template(trials, documents)
    material = Material(os.path.join(trials.root, "certificates"))
    bed = (trials, filled, documents, material)
    servers(*bed)
    clients(*bed)
    changes(*bed)
    settee(*bed)


def one(trials, name, filled, documents, tls, options, words, host="127.0.0.1"):
    """A run that succeeds if there are no words, and else fails with them, and sends nothing."""
    for direction in ("pull", "push"):
        pair = Pair(trials, "couchdb", direction, filled, documents, users={"ida": ("wine-dark-sea", None)})
        pair.server.context, pair.server.host = tls, host
        password = os.path.join(trials.root, "wine")
        with open(os.open(password, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write("wine-dark-sea")
        result = pair.run("--user", "ida", "--password-file", password, *options, seconds=60)
        name_here = f"{name}, {direction}"
        if words:
            requests = sum(row["requests"] for row in pair.server.counts.values())
            is_right = result.status == 1 and words in result.output and requests == 0
            trials.check(name_here, "" if is_right else f"{requests} requests, {result}")
        else:
            trials.check(name_here, pair.difference() if result.status == 0 else result)
        pair.close()


def servers(trials, filled, documents, material):
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(0)
    good, good_files = material.leaf("good")
    expired, expired_files = material.leaf("expired", days=(-10, -2))
    _, early = material.leaf("early", days=(2, 10))
    elsewhere, elsewhere_files = material.leaf("elsewhere", names=("db.example", "10.1.2.3"))
    alone, alone_files = material.leaf("alone", issuer=None)
    list_of_revoked = f"http://127.0.0.1:{listening.getsockname()[1]}/revoked"
    _, revoked = material.leaf("revoked", revoked_at=list_of_revoked)
    wrong = "AB" * 32
    cases = {
        "own roots": (good_files, ["--ca", material.ca], ""),
        "a list of revoked certificates is not looked at": (revoked, ["--ca", material.ca], ""),
        "an unknown root": (good_files, [], "nobody who is trusted"),
        "another root": (good_files, ["--ca", material.other_ca], good.pin),
        "expired": (expired_files, ["--ca", material.ca], "expired on"),
        "not valid yet": (early, ["--ca", material.ca], "not valid before"),
        "another name": (elsewhere_files, ["--ca", material.ca], "db.example, 10.1.2.3"),
        "self-signed": (alone_files, ["--ca", material.ca], "only itself has signed"),
        "self-signed, as a root": (alone_files, ["--ca", alone_files[0]], ""),
        "a pin": (good_files, ["--pin", good.pin], ""),
        "one of two pins": (good_files, ["--pin", wrong, "--pin", good.pin.replace(":", "").lower()], ""),
        "a pin of a self-signed one": (alone_files, ["--pin", alone.pin], ""),
        "a pin of one with another name": (elsewhere_files, ["--pin", elsewhere.pin], ""),
        "a wrong pin": (good_files, ["--pin", wrong], good.pin),
        "a pin of the issuer": (good_files, ["--pin", material.middle.pin], "not the pinned one"),
        "a pin of the root": (good_files, ["--pin", material.root.pin], "not the pinned one"),
        "a pin of an expired one": (expired_files, ["--pin", expired.pin], "expired"),
    }
    for name, (files, options, words) in cases.items():
        one(trials, f"server, {name}", filled, documents, context(files), options, words)
    one(trials, "server, TLS 1.2", filled, documents, context(good_files, version=ssl.TLSVersion.TLSv1_2),
        ["--ca", material.ca], "")
    one(trials, "server, TLS 1.1 only", filled, documents, context(good_files, version=ssl.TLSVersion.TLSv1_1),
        ["--ca", material.ca], "no TLS 1.2")
    one(trials, "server, by name", filled, documents, context(good_files), ["--ca", material.ca], "", "localhost")
    try:
        listening.accept()
        trials.check("server, revoked", "somebody asked for the list of revoked certificates")
    except BlockingIOError:
        trials.check("server, revoked", "")
    listening.close()
    shown(trials, filled, documents, elsewhere, elsewhere_files)


def shown(trials, filled, documents, certificate, files):
    """`settee certificate` of a server that nobody trusts."""
    pair = Pair(trials, "couchdb", "pull", filled, documents)
    pair.server.context = context(files)
    run = subprocess.run([trials.program, "certificate", pair.server.url("")], capture_output=True, text=True)
    told = [certificate.pin, "CN=elsewhere", "CN=middle", "db.example, 10.1.2.3", "Valid"]
    is_right = run.returncode == 0 and all(word in run.stdout for word in told) and not pair.server.counts
    trials.check("certificate", "" if is_right else run.stdout + run.stderr)
    pair.close()


def clients(trials, filled, documents, material):
    _, server = material.leaf("server")
    _, right = material.leaf("client", names=("client",))
    _, foreign = material.leaf("foreign", issuer="other", names=("client",))
    _, old = material.leaf("old", names=("client",), days=(-10, -2))
    locked = Certificate("locked", material.middle).write(material.folder, "locked", password=b"open sesame")
    trust = ["--ca", material.ca]
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        def tls():
            return context(server, clients=material.ca, version=version)
        said = version.name
        shows = {"right": (right, ""), "of another authority": (foreign, "does not take"),
                 "expired": (old, "does not take")}
        for name, (files, words) in shows.items():
            one(trials, f"client, {said}, {name}", filled, documents, tls(),
                [*trust, "--cert", files[0], "--cert-key", files[1]], words)
        one(trials, f"client, {said}, none", filled, documents, tls(), trust, "certificate of the client")
    files = {"with a passphrase": (locked[0], locked[1], "without a passphrase"),
             "with another's key": (right[0], foreign[1], "do not belong together"),
             "without a key in the file": (right[0], right[0], "private key"),
             "not there": (right[0], "/none", "/none")}
    for name, (certificate, key, words) in files.items():
        one(trials, f"client, a key {name}", filled, documents, context(server),
            [*trust, "--cert", certificate, "--cert-key", key], words)


def changes(trials, filled, documents, material):
    """The server has another certificate while a continuous run is on."""
    first, first_files = material.leaf("first")
    _, second_files = material.leaf("second")
    for name, options in {"pin": ["--pin", first.pin], "roots": ["--ca", material.ca]}.items():
        pair = Pair(trials, "couchdb", "pull", filled, documents)
        pair.server.context = context(first_files)
        process = trials.start(*pair.ends(), "--continuous", *options)
        wait(lambda: pair.remote.locals)
        pair.server.context = context(second_files)
        time.sleep(0.2)
        before = sum(row["requests"] for row in pair.server.counts.values())
        pair.server.cut()
        if name == "pin":
            result = trials.wait(process, 60)
            after = sum(row["requests"] for row in pair.server.counts.values())
            is_right = result.status == 1 and "not the pinned one" in result.output and after <= before + 1
            trials.check("another certificate, pinned", "" if is_right else f"{after - before} requests, {result}")
        else:
            pair.remote.edit("later", {"a": 1}, None)
            wait(lambda: pair.remote.locals and pair.number(next(iter(
                pair.remote.locals.values()))[1]["source_last_seq"]) >= pair.remote.sequence, 60)
            process.terminate()
            result = trials.wait(process, 60)
            trials.check("another certificate, of the same authority",
                         pair.difference() if result.status == 0 else result)
        if process.poll() is None:
            kill(process)
        pair.close()


def wait(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)


def settee(trials, filled, documents, material):
    """`settee serve` that takes clients with certificates only."""
    _, server = material.leaf("serve")
    _, right = material.leaf("guest", names=("client",))
    _, foreign = material.leaf("stranger", issuer="other", names=("client",))
    for direction in ("pull", "push"):
        for name, files, words in (("right", right, ""), ("of another authority", foreign, "does not take"),
                                   ("none", None, "certificate of the client")):
            served = filled.copy(trials.folder()) if direction == "pull" else Local(trials.program, trials.folder())
            local = filled.copy(trials.folder()) if direction == "push" else Local(trials.program, trials.folder())
            process = subprocess.Popen(
                [trials.program, "serve", served.folder, "--port", "0", "--json", "--cert", server[0], "--cert-key",
                 server[1], "--client-ca", material.ca], stdout=subprocess.PIPE, text=True)
            url = process.stdout.readline().split('"url":"')[1].split('"')[0] + "db"
            options = ["--ca", material.ca] + (["--cert", files[0], "--cert-key", files[1]] if files else [])
            ends = (url, local.path) if direction == "pull" else (local.path, url)
            result = trials.run(*ends, *options, seconds=60)
            process.terminate()
            process.wait(30)
            is_right = result.status == (1 if words else 0) and words in result.output
            problem = "" if is_right else str(result)
            if not words and not problem and served.dump() != local.dump():
                problem = "the two differ"
            trials.check(f"serve, client {name}, {direction}", problem)
