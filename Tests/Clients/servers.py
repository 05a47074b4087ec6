"""Servers for the trials: `settee serve` in folders of their own."""
import base64
import hashlib
import json
import os
import signal
import socket
import subprocess

from replicator import wait_for


class Server:
    def __init__(self, program, folder, storage="sqlite", options=(), before=()):
        os.makedirs(folder, exist_ok=True)
        self.program, self.folder = program, folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.arguments = [program, "serve", folder, "--port", str(self.port), "--storage-type", storage, *options]
        self.start(before)

    def start(self, before=()):
        """Starts it; `before` is a command that runs the program."""
        with open(self.folder + ".log", "ab") as log:
            self.process = subprocess.Popen([*before, *self.arguments], stdout=log, stderr=log)
        wait_for(self.url)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(30) == 0, "the server did not end well"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if self.process.poll() is None:
            self.kill()


def users_file(path, users):
    """Writes a file of users: name to (password, roles)."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        for name, (password, roles) in users.items():
            salt = os.urandom(16)
            key = hashlib.scrypt(password.encode(), salt=salt, n=1024, r=8, p=1, dklen=32)
            entry = {"n": 1024, "r": 8, "p": 1, "salt": base64.b64encode(salt).decode()}
            entry["hash"] = base64.b64encode(key).decode()
            file.write(json.dumps({"name": name, "roles": roles, "scrypt": entry}) + "\n")
    return path
