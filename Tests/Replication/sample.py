"""Documents for the trials: conflicts, tombstones, attachments, IDs of every kind."""
import base64
import random

IDS = ["a b", "c/d", "é%2F?", "e+f", 'h"i', "x:y", "q?r#s", "\U0001f6cb", "z" * 200]
NAMES = ["x.txt", "dir/y.bin", "zü.gz", "w"]


class Sample:
    """Revisions as `_bulk_docs` takes them with new_edits=false."""

    def __init__(self, seed, contents=(0, 1, 100, 5_000, 20_000)):
        self.random, self.contents = random.Random(seed), contents

    def digest(self):
        return "%032x" % self.random.getrandbits(128)

    def documents(self, count, start=0):
        found = []
        for number in range(start, start + count):
            id = IDS[number] if number < len(IDS) else f"doc{number:06}"
            history = [self.digest() for _ in range(self.random.choice([1, 1, 1, 2, 5]))]
            found.append(self.revision(id, history, number, deleted=number % 10 == 3))
            if number % 10 == 5:
                for _ in range(self.random.randint(1, 2)):
                    common = history[self.random.randint(1, len(history)):]
                    branch = [self.digest() for _ in range(self.random.randint(1, 3))] + common
                    found.append(self.revision(id, branch, number, deleted=self.random.random() < 0.3))
        return found

    def revision(self, id, history, number, deleted=False):
        document = {"_id": id, "_rev": f"{len(history)}-{history[0]}",
                    "_revisions": {"start": len(history), "ids": history}}
        if deleted:
            document["_deleted"] = True
        else:
            document.update(n=number, text=self.random.choice(["", "ü" * 20, "\U0001f6cb", "x" * 2000]),
                            list=[1, -2.5, None, True, {"a": {}}], channels=["even" if number % 2 == 0 else "odd"])
        if number % 10 == 7 and not deleted:
            document["_attachments"] = self.attachments(len(history))
        return document

    def attachments(self, generation):
        found = {}
        for name in self.random.sample(NAMES, self.random.randint(1, 3)):
            content = self.random.randbytes(self.random.choice(self.contents))
            kind = "text/plain" if name.endswith("txt") else "application/octet-stream"
            if kind == "text/plain":
                content = base64.b64encode(content)
            found[name] = {"content_type": kind, "data": base64.b64encode(content).decode(),
                           "revpos": self.random.randint(1, generation)}
        return found

    def followers(self, documents, share=0.3):
        """New revisions of some documents: they keep their attachments as stubs, and some get another."""
        found = []
        for document in documents:
            if document.get("_deleted") or self.random.random() > share:
                continue
            history = [self.digest()] + document["_revisions"]["ids"]
            next = self.revision(document["_id"], history, 1, deleted=self.random.random() < 0.1)
            if not next.get("_deleted"):
                next["n"] = document["n"] + 1_000_000
                for name, entry in document.get("_attachments", {}).items():
                    stub = {"content_type": entry["content_type"], "revpos": entry["revpos"], "stub": True}
                    next.setdefault("_attachments", {})[name] = stub
                if "_attachments" in next and self.random.random() < 0.5:
                    data = base64.b64encode(self.random.randbytes(1000)).decode()
                    next["_attachments"]["new"] = {"content_type": "a/b", "data": data, "revpos": len(history)}
            found.append(next)
        return found
