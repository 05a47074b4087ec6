"""64 connections that ask all kinds of things of one `settee serve` at once, with users.

Arguments: the program, the seconds, and the engine (sqlite). It ends with 1 if an answer is 500, a feed breaks, the
server dies or does not end well, or its log has a report of the thread sanitizer: build the program with
`swift build --sanitize=thread --scratch-path .build-sanitized`. thread-sanitizer.txt says which reports are none.
"""
import collections
import json
import os
import random
import sys
import tempfile
import threading
import time

import requests

from servers import Server, users_file

CONNECTIONS = 64
ADMIN, READER = ("ada", "ada's word"), ("rob", "rob's word")
DESIGN = {
    "views": {
        "byNumber": {"map": "doc => { if ('n' in doc) emit(doc.n, doc.tag) }"},
        "sums": {"map": "doc => { if ('n' in doc) emit([doc.tag, doc.n], doc.n) }", "reduce": "_sum"},
        "lists": {"map": "doc => { if ('n' in doc) emit(doc.tag, 1) }", "reduce": "(k, v, again) => v.length"},
    },
    "filters": {"some": "(doc, req) => doc.n % 2 == req.query.rest"},
    "validate_doc_update": "doc => { if (doc.n > 1e9) throw {forbidden: 'too large'} }",
}


class Client(threading.Thread):
    def __init__(self, url, seed, end, counts, problems):
        super().__init__()
        self.url, self.random, self.end = url, random.Random(seed), end
        self.counts, self.problems = counts, problems
        self.session = requests.Session()
        self.session.auth = ADMIN

    def run(self):
        kinds = [self.read, self.write, self.delete, self.bulk, self.foreign, self.listing, self.view, self.changes,
                 self.feed, self.attachment, self.login, self.local, self.design, self.refused, self.database]
        try:
            while time.monotonic() < self.end:
                self.random.choice(kinds)()
        except requests.RequestException as error:
            self.problems.append(f"{type(error).__name__}: {error}")

    def send(self, method, path, **options):
        answer = self.session.request(method, self.url + path, timeout=300, **options)
        self.counts[answer.status_code] += 1
        if answer.status_code >= 500 and answer.status_code != 503:
            self.problems.append(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer

    @property
    def id(self):
        return f"d{self.random.randrange(60)}"

    @property
    def body(self):
        return {"n": self.random.randrange(1000), "tag": self.random.choice("xyz"), "text": "ü" * 100}

    def revision(self, id):
        return self.send("HEAD", "/db/" + id).headers.get("ETag", "").strip('"')

    def read(self):
        options = self.random.choice(["", "?revs=true&conflicts=true", "?meta=true", "?open_revs=all", "?attachments=true"])
        headers = self.random.choice([{}, {"Accept": "multipart/mixed, multipart/related"}, {"If-None-Match": '"1-a"'}])
        self.send("GET", f"/db/{self.id}{options}", headers=headers)

    def write(self):
        id = self.id
        rev = self.revision(id)
        self.send("PUT", f"/db/{id}" + (f"?rev={rev}" if rev else ""), json=self.body)

    def delete(self):
        id = self.id
        self.send("DELETE", f"/db/{id}?rev={self.revision(id) or '1-a'}")

    def bulk(self):
        documents = [{"_id": f"b{self.random.randrange(500)}", **self.body} for _ in range(self.random.randrange(40))]
        self.send("POST", "/db/_bulk_docs", json={"docs": documents})
        asked = [{"id": self.id} for _ in range(20)]
        self.send("POST", "/db/_bulk_get?revs=true", json={"docs": asked}, headers={"Accept": "application/json"})

    def foreign(self):
        generation, digest = self.random.randrange(1, 4), "%032x" % self.random.getrandbits(128)
        document = {"_id": self.id, "_rev": f"{generation}-{digest}", **self.body}
        self.send("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [document]})
        self.send("POST", "/db/_revs_diff", json={self.id: [f"{generation}-{digest}"]})

    def listing(self):
        self.send("GET", f"/db/_all_docs?include_docs=true&limit={self.random.randrange(300)}")
        self.send("POST", "/db/_all_docs", json={"keys": [self.id, "none"]})
        self.send("GET", self.random.choice(["/db", "/_all_dbs", "/_active_tasks", "/db/_design/s/_info", "/_uuids"]))

    def view(self):
        view = self.random.choice(["byNumber?include_docs=true&limit=20", "sums?group_level=1", "lists?group=true"])
        self.send("GET", "/db/_design/s/_view/" + view)

    def changes(self):
        options = self.random.choice(["style=all_docs", "filter=s/some&rest=1", "filter=_view&view=s/byNumber",
                                      "include_docs=true&limit=50", "descending=true&limit=5"])
        self.send("GET", "/db/_changes?" + options)
        self.send("POST", "/db/_changes?filter=_selector", json={"selector": {"n": {"$gt": 500}}})

    def feed(self):
        kind = self.random.choice(["longpoll", "continuous", "eventsource"])
        path = f"{self.url}/db/_changes?feed={kind}&since=now&heartbeat=1000"
        end = time.monotonic() + self.random.uniform(0, 3)
        with self.session.get(path, stream=True, timeout=300) as answer:
            self.counts[answer.status_code] += 1
            for _ in answer.iter_content(None):
                if time.monotonic() > end:
                    break
        self.send("GET", f"/db/_changes?feed={kind}&since=now&timeout=100")

    def attachment(self):
        id, name = self.id, self.random.choice(["a.txt", "dir/b.bin"])
        content = os.urandom(self.random.choice([10, 3000, 200_000]))
        rev = self.revision(id)
        self.send("PUT", f"/db/{id}/{name}" + (f"?rev={rev}" if rev else ""), data=content)
        self.send("GET", f"/db/{id}/{name}", headers=self.random.choice([{}, {"Range": "bytes=1-5"}]))

    def login(self):
        with requests.Session() as other:
            answer = other.post(self.url + "/_session", json=dict(zip(("name", "password"), READER)), timeout=300)
            self.counts[answer.status_code] += 1
            other.get(self.url + "/db", timeout=300)
            self.counts[other.put(self.url + "/db/x", json={}, timeout=300).status_code] += 1
            other.delete(self.url + "/_session", timeout=300)
        requests.get(self.url + "/db", auth=("rob", "wrong" + str(self.random.randrange(3))), timeout=300)

    def local(self):
        id = f"/db/_local/l{self.random.randrange(9)}"
        rev = self.send("GET", id).json().get("_rev")
        self.send("PUT", id, json={"n": 1, **({"_rev": rev} if rev else {})})

    def design(self):
        if self.random.random() < 0.1:
            rev = self.send("GET", "/db/_design/s").json().get("_rev")
            self.send("PUT", "/db/_design/s", json={**DESIGN, "n": self.random.randrange(9), "_rev": rev})

    def refused(self):
        self.send("PUT", f"/db/{self.id}", data=b'{"n":')
        self.send("PUT", f"/db/big{self.random.randrange(9)}", json={"n": 2_000_000_000})
        self.send("POST", "/db/_bulk_docs", data=b"x", headers={"Content-Type": "text/plain"})

    def database(self):
        name = f"/t{self.random.randrange(3)}"
        self.send("PUT", name)
        self.send("POST", name, json={"n": 1})
        self.send("DELETE", name)
        if self.random.random() < 0.1:
            self.send("POST", "/db/_compact", json={})


def main(program, seconds, storage="sqlite"):
    folder = tempfile.mkdtemp(prefix="settee-soak-")
    users = users_file(folder + "/users", {ADMIN[0]: (ADMIN[1], ["admin"]), READER[0]: (READER[1], ["reader"])})
    counts, problems = collections.Counter(), []
    known = os.path.join(os.path.dirname(os.path.abspath(__file__)), "thread-sanitizer.txt")
    os.environ.setdefault("TSAN_OPTIONS", f"halt_on_error=0 suppressions={known}")
    with Server(program, folder + "/databases", storage, ("--users", users, "--log", "all=debug")) as server:
        assert requests.put(server.url + "/db", auth=ADMIN).status_code == 201
        assert requests.put(server.url + "/db/_design/s", json=DESIGN, auth=ADMIN).status_code == 201
        end = time.monotonic() + float(seconds)
        clients = [Client(server.url, seed, end, counts, problems) for seed in range(CONNECTIONS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        server.stop()
    with open(folder + "/databases.log", errors="replace") as log:
        problems += [line.strip() for line in log if "WARNING: ThreadSanitizer" in line]
    print(json.dumps(dict(sorted(counts.items()))), folder)
    for problem, count in collections.Counter(problems).most_common(20):
        print(count, problem[:300])
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
