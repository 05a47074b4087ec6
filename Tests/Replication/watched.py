"""Runs that are looked through for secrets: what was printed, what is on the disk, and what the system shows of the
process."""
import base64
import json
import os
import threading
import time


def spellings(secrets):
    """Secrets as they are, and as they stand in headers and URLs."""
    found = set()
    for secret in secrets:
        text = secret.encode()
        found |= {text, text.hex().encode()}
        # Base64 of a part of a text, whatever stands before it.
        for shift in range(3):
            coded = base64.b64encode(b"\0" * shift + text)
            found.add(coded[[0, 2, 3][shift]:len(coded) - 4])
    return [each for each in found if len(each) >= 6]


class Watch:
    """Reads the arguments and the environment of a process while it runs."""

    def __init__(self, process):
        self.process, self.seen = process, set()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while self.process.poll() is None:
            for name in ("cmdline", "environ"):
                try:
                    with open(f"/proc/{self.process.pid}/{name}", "rb") as file:
                        self.seen.add(file.read())
                except OSError:
                    return
            time.sleep(0.05)


def leaks(secrets, pair, result, watch, allowed=()):
    """Where a secret was found, as text; empty if nowhere. `allowed` are files that are for secrets."""
    stored = [pair.remote.dump(), [fields for _, fields in pair.remote.locals.values()]]
    texts = {"what it printed": result.output.encode(),
             "the server's documents": json.dumps(stored, ensure_ascii=False).encode(errors="replace")}
    for number, text in enumerate(watch.seen if watch else ()):
        texts[f"/proc, {number}"] = text
    # Beside the database, its temporary files, and those of the program.
    for root in (pair.local.folder, os.environ.get("TMPDIR", "/tmp")):
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                if path in allowed or os.path.islink(path) or not os.path.isfile(path):
                    continue
                if root != pair.local.folder and not name.startswith("settee"):
                    continue
                try:
                    with open(path, "rb") as file:
                        texts[path] = file.read()
                except OSError:
                    pass
    for place, text in texts.items():
        for spelling in spellings(secrets):
            if spelling in text:
                return f"a secret is in {place}"
    return ""
