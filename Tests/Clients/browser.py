"""A page in Chromium that asks `settee serve` in another origin for what PouchDB asks for (browser.html).

Argument: the program. Skipped without `chromium`.
"""
import http.server
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from urllib.parse import urlencode

import requests

from servers import Server, users_file

ADMIN = ("ada", "ada's word")
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "browser.html")


class Pages:
    """Serves the page in an origin of its own, and takes its report."""

    def __init__(self, host="127.0.0.1"):
        reports = self.reports = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, content, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self):
                if self.path != "/favicon.ico":
                    with open(PAGE, "rb") as file:
                        return self.answer(file.read(), "text/html; charset=utf-8")
                self.answer(b"", "image/x-icon")

            def do_POST(self):
                reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.answer(b"{}", "application/json")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://{host}:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def show(self, folder, **query):
        """Shows the page until it has reported."""
        profile = tempfile.mkdtemp(dir=folder)
        arguments = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}",
                     "--remote-debugging-port=0", f"{self.origin}/?{urlencode(query)}"]
        with open(profile + ".log", "wb") as log:
            browser = subprocess.Popen(arguments, stdout=log, stderr=log, start_new_session=True)
        try:
            return self.reports.get(timeout=120)
        finally:
            os.killpg(browser.pid, 15)
            browser.wait()


def main(program):
    if not shutil.which("chromium"):
        return print("skipped: install chromium")
    folder = tempfile.mkdtemp(prefix="settee-browser-")
    users = users_file(folder + "/users", {ADMIN[0]: (ADMIN[1], ["admin"])})
    login = ":".join(ADMIN)
    # A site is a host: cookies are sent to another port, and not from `localhost` to 127.0.0.1.
    own, elsewhere = Pages(), Pages("localhost")
    whole = ["make", "checkpoint", "push", "pull", "documents", "live", "destroy"]
    trials = [
        ("open", own, [own.origin], False, whole),
        ("open", elsewhere, [own.origin, elsewhere.origin], False, whole),
        ("basic", own, [own.origin], True, ["refused", *whole]),
        ("basic", elsewhere, [elsewhere.origin], True, ["refused", *whole]),
        ("cookie", own, [own.origin], True, ["login", *whole, "logout"]),
        ("stranger", own, [elsewhere.origin], False, ["blocked"]),
    ]
    for number, (plan, pages, origins, has_users, expected) in enumerate(trials):
        options = [part for origin in origins for part in ("--cors", origin)]
        if has_users:
            options += ["--users", users]
        with Server(program, f"{folder}/{number}", "sqlite", options) as server:
            report = pages.show(folder, plan=plan, server=server.url, login=login)
            assert report == {"steps": expected, "error": None}, report
            if plan == "stranger":
                assert requests.get(server.url + "/_all_dbs").json() == [], "nothing was written"
            server.stop()
        print("ok", plan, pages.origin.split(":")[1][2:])
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1])
