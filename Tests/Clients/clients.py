"""Clients of CouchDB from PyPI, and LightCouch from Debian (liblightcouch-java) if it is there, against `settee serve`,
each through what of its API is about databases and documents.

Argument: the program.
"""
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import couchdb2
import requests
from cloudant.client import CouchDB
from cloudant.result import Result
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant import CouchDbSessionAuthenticator
from ibmcloudant.cloudant_v1 import AllDocsQuery, BulkGetQueryDocument, CloudantV1
from ibmcloudant.features.changes_follower import ChangesFollower

from replicator import quoted
from servers import Server, users_file

ADMIN = ("ada", "ada's word")
JARS = [f"/usr/share/java/{name}.jar" for name in (
    "lightcouch", "gson", "httpclient", "httpcore", "commons-logging", "commons-codec")]
IDS = ["a", "b b", "ü", "e+f", 'h"i', "%41", "_design/z", "x:y", "q?r#s"]


def fill(url, extra=()):
    """Makes a database of documents with attachments."""
    assert requests.put(url).status_code == 201
    for number, id in enumerate([*IDS, *extra]):
        answer = requests.post(url, json={"_id": id, "n": number, "text": "ü\U0001f6cb" * 3})
        assert answer.status_code == 201, answer.text
        rev = answer.json()["rev"]
        for name, content in [("f.txt", b"hello" * (number + 1)), ("dir/ü.bin", os.urandom(3000 * number + 1))]:
            path = f"{url}/{quoted(id)}/{quoted(name)}"
            answer = requests.put(path, params={"rev": rev}, data=content, headers={"Content-Type": "text/plain"})
            assert answer.status_code == 201, answer.text
            rev = answer.json()["rev"]


def content(url):
    """All documents with their attachments, without what a copy changes."""
    documents = {}
    for row in requests.get(url + "/_all_docs?include_docs=true&attachments=true").json()["rows"]:
        document = row["doc"]
        del document["_rev"]
        for entry in document.get("_attachments", {}).values():
            del entry["revpos"]
        documents[row["id"]] = document
    return documents


def couchdb_dump_and_load(one, other):
    fill(one.url + "/dumped", ["c/d"])
    requests.put(other.url + "/dumped")
    tools = os.path.dirname(sys.executable)
    # It reads no bytes from its standard input with Python 3.
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([tools + "/couchdb-dump", one.url + "/dumped"], stdout=file, stderr=subprocess.DEVNULL, check=True)
        load = [tools + "/couchdb-load", "--input", file.name, other.url + "/dumped"]
        subprocess.run(load, stderr=subprocess.DEVNULL, check=True)
    assert content(one.url + "/dumped") == content(other.url + "/dumped")


def couchdb2_dump_and_undump(one, other):
    # It does not escape the slash of an ID.
    fill(one.url + "/dumped2")
    file = tempfile.mktemp(suffix=".tar.gz")
    counts = couchdb2.Server(one.url)["dumped2"].dump(file)
    database = couchdb2.Server(other.url).create("dumped2")
    assert counts == database.undump(file) == (len(IDS), 2 * len(IDS)), counts
    os.remove(file)
    assert content(one.url + "/dumped2") == content(other.url + "/dumped2")


def couchdb2_api(one, other):
    server = couchdb2.Server(one.url)
    assert server.version and server.up()
    db = server.create("api")
    assert "api" in server and len(db) == 0
    document = {"_id": "x", "v": 1}
    db.put(document)
    db.put(document)
    assert "x" in db and db["x"]["v"] == 1 and db.get("none") is None
    try:
        db.put({"_id": "x", "v": 3})
        raise AssertionError("a conflict was taken")
    except couchdb2.RevisionError:
        pass
    db.update([{"_id": str(number), "n": number} for number in range(450)])
    assert len(db) == 451 and len(list(db)) == 451 and len(list(db.ids())) == 451
    assert [found and found["n"] for found in db.get_bulk(["1", "none", "2"])] == [1, None, 2]
    document = db["1"]
    db.put_attachment(document, io.BytesIO(b"abc"), filename="a.txt")
    assert db.get_attachment(db["1"], "a.txt").read() == b"abc"
    db.delete_attachment(db["1"], "a.txt")
    assert "_attachments" not in db["1"] and len(db.changes()["results"]) == 451
    db.delete(db["5"])
    assert "5" not in db
    db.compact()
    db.destroy()
    assert "api" not in server


def cloudant_with_cookies(folder):
    with Server(*folder) as server:
        client = CouchDB(*ADMIN, url=server.url, connect=True, auto_renew=True)
        assert client.session()["userCtx"]["name"] == ADMIN[0] and client.session_cookie()
        db = client.create_database("c")
        document = db.create_document({"_id": "one", "v": 1})
        document["v"] = 2
        document.save()
        document.update_field(document.field_set, "v", 7)
        document.fetch()
        assert document["v"] == 7
        document.put_attachment("a.txt", "text/plain", b"data")
        assert document.get_attachment("a.txt", attachment_type="binary") == b"data"
        document.delete_attachment("a.txt")
        db.bulk_docs([{"_id": f"b{number}"} for number in range(300)])
        assert db.doc_count() == 301 and len(db.keys(remote=True)) == 301
        listed = Result(db.all_docs, include_docs=True, page_size=50)
        assert len(list(listed)) == 301 and len(listed[10:20]) == 10 and listed["b1"][0]["id"] == "b1"
        assert len(list(db.changes(include_docs=True))) == 301
        assert db.missing_revisions("one", "1-" + "a" * 32) == ["1-" + "a" * 32]
        db.set_revision_limit(50)
        assert db.get_revision_limit() == 50
        rules = db.get_security_document()
        rules["members"] = {"names": ["rob"], "roles": []}
        rules.save()
        names = [f"w{number}" for number in range(20)]

        def write():
            for name in names:
                requests.put(f"{server.url}/c/{name}", json={}, auth=ADMIN)

        writer = threading.Thread(target=write)
        writer.start()
        seen, feed = [], db.infinite_changes(heartbeat=1000)
        for change in feed:
            if change and change["id"] in names:
                seen.append(change["id"])
            if len(seen) == len(names):
                feed.stop()
        writer.join()
        assert seen == names
        client.r_session.cookies.set("AuthSession", "forged.cookie")
        assert client.r_session.get(server.url + "/_all_dbs").status_code == 401
        server.stop()


def ibm_api(folder):
    with Server(*folder) as server:
        service = CloudantV1(authenticator=CouchDbSessionAuthenticator(*ADMIN))
        service.set_service_url(server.url)
        of = lambda answer: answer.get_result()
        of(service.put_database("i"))
        assert of(service.post_dbs_info(["i", "none"]))[1]["error"] == "not_found"
        of(service.get_database_information("i")), of(service.get_uuids(count=3)), of(service.get_up_information())
        of(service.get_active_tasks()), of(service.get_session_information()), of(service.head_database("i"))
        rev = of(service.post_document("i", {"_id": "d", "v": 1}))["rev"]
        rev = of(service.put_document("i", "d", {"v": 2, "_rev": rev}))["rev"]
        assert of(service.get_document("i", "d", revs=True, conflicts=True, local_seq=True))["_local_seq"] == 2
        assert service.head_document("i", "d").get_headers()["ETag"] == f'"{rev}"'
        rev = of(service.put_attachment("i", "d", "a.txt", io.BytesIO(b"zzz"), "text/plain", rev=rev))["rev"]
        assert of(service.get_attachment("i", "d", "a.txt")).content == b"zzz"
        service.head_attachment("i", "d", "a.txt")
        assert b'"follows":true' in of(service.get_document_as_related("i", "d", attachments=True)).content
        assert json.loads(of(service.get_document_as_stream("i", "d")).content)["v"] == 2
        rev = of(service.delete_attachment("i", "d", "a.txt", rev=rev))["rev"]
        of(service.post_bulk_docs("i", {"docs": [{"_id": f"k{number}"} for number in range(10)]}))
        wanted = [BulkGetQueryDocument(id="d"), BulkGetQueryDocument(id="none")]
        assert of(service.post_bulk_get("i", wanted))["results"][1]["docs"][0]["error"]
        assert b'"_id":"d"' in of(service.post_bulk_get_as_mixed("i", wanted)).content
        assert b'"_id":"d"' in of(service.post_bulk_get_as_related("i", wanted)).content
        assert len(of(service.post_all_docs("i", include_docs=True, limit=5))["rows"]) == 5
        queries = [AllDocsQuery(keys=["k1"]), AllDocsQuery(limit=3)]
        assert [len(part["rows"]) for part in of(service.post_all_docs_queries("i", queries))["results"]] == [1, 3]
        assert of(service.post_changes("i", style="all_docs", limit=3))["pending"] > 0
        assert len(of(service.post_changes("i", filter="_doc_ids", doc_ids=["k1"]))["results"]) == 1
        assert len(of(service.post_changes("i", filter="_selector", selector={"_id": "k2"}))["results"]) == 1
        assert of(service.post_revs_diff("i", {"d": ["9-aa"]}))["d"]["missing"] == ["9-aa"]
        of(service.put_security("i", members={"names": ["rob"], "roles": []})), of(service.get_security("i"))
        of(service.put_design_document("i", "x", {"views": {"v": {"map": "function(d){emit(1)}"}}}))
        assert len(of(service.post_design_docs("i"))["rows"]) == 1
        of(service.delete_design_document("i", "x", rev=of(service.get_design_document("i", "x"))["_rev"]))
        of(service.put_local_document("i", "l", {"x": 1}))
        assert of(service.get_local_document("i", "l"))["x"] == 1
        of(service.delete_document("i", "d", rev=rev))
        of(service.delete_database("i"))
        server.stop()


def ibm_follower(folder, authenticator):
    """A follower through restarts and kills of the server has every document's last revision."""
    with Server(*folder) as server:
        requests.put(server.url + "/f", auth=ADMIN)
        service = CloudantV1(authenticator=authenticator(*ADMIN))
        service.set_service_url(server.url)
        service.set_http_config({"timeout": 70})
        follower = ChangesFollower(service, db="f", error_tolerance=60_000)
        seen, last = {}, {}

        def follow():
            for change in follower.start():
                seen[change.id] = change.changes[0].rev

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        for turn in range(4):
            for number in range(40):
                url = f"{server.url}/f/p{number}"
                found = requests.get(url, auth=ADMIN).json()
                body = {"turn": turn, **({"_rev": found["_rev"]} if "_rev" in found else {})}
                last[f"p{number}"] = requests.put(url, json=body, auth=ADMIN).json()["rev"]
            server.kill() if turn % 2 else server.stop()
            server.start()
        end = time.monotonic() + 90
        while any(seen.get(id) != rev for id, rev in last.items()):
            assert time.monotonic() < end and thread.is_alive(), "the follower has not come to the end"
            time.sleep(0.1)
        follower.stop()
        requests.put(server.url + "/f/end", json={}, auth=ADMIN)
        thread.join(90)
        server.stop()


def light_couch(folder):
    if not all(map(os.path.exists, JARS)) or not shutil.which("java"):
        return print("skipped: install default-jdk-headless and liblightcouch-java")
    here = os.path.dirname(os.path.abspath(__file__))
    with Server(*folder) as server, tempfile.TemporaryDirectory() as desk:
        subprocess.run(["java", "-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog",
                        "-cp", ":".join([*JARS, desk]), here + "/LightCouch.java", str(server.port), *ADMIN, desk],
                       check=True)
        server.stop()


def main(program):
    folder = tempfile.mkdtemp(prefix="settee-clients-")
    users = users_file(folder + "/users", {ADMIN[0]: (ADMIN[1], ["admin"]), "rob": ("rob's word", ["reader"])})
    number = 0

    def place():
        nonlocal number
        number += 1
        return program, f"{folder}/{number}", "sqlite", ("--users", users)

    with Server(program, folder + "/one", "sqlite") as one, Server(program, folder + "/other", "lmdb") as other:
        for trial in (couchdb_dump_and_load, couchdb2_dump_and_undump, couchdb2_api):
            trial(one, other)
            print("ok", trial.__name__)
    for trial, *options in [
        (cloudant_with_cookies,), (ibm_api,), (ibm_follower, BasicAuthenticator),
        (ibm_follower, CouchDbSessionAuthenticator), (light_couch,),
    ]:
        trial(place(), *options)
        print("ok", trial.__name__, *[option.__name__ for option in options])
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1])
