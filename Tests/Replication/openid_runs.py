"""OpenID Connect as at a Sync Gateway, with oidc-provider-mock for the provider: logins, new tokens, denials."""
import base64
import datetime
import json
import logging
import os
import re
import secrets
import signal
import stat
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings

from joserfc import jwt
from joserfc.jwk import KeySet

from sample import Sample
from store import Refusal
from trial import Pair, Run, kill, template
from watched import Watch, leaks

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
CLIENT, CLIENT_SECRET = "settee-trials", "secret-of-the-gateway"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


class Gateway:
    """What a Sync Gateway does with a provider: the code flow, a state in a cookie, and tokens that it verifies."""

    def __init__(self, provider):
        self.provider, self.states = provider, set()
        self.seen = []

    def challenge(self, handler):
        state = secrets.token_urlsafe(16)
        self.states.add(state)
        self.callback_url = f"http://127.0.0.1:{handler.server.port}/{handler.steps[0]}/_oidc_callback"
        query = {"response_type": "code", "client_id": CLIENT, "redirect_uri": self.callback_url, "state": state,
                 "scope": "openid email", "access_type": "offline", "prompt": "consent"}
        page = f"{self.provider}/oauth2/authorize?{urllib.parse.urlencode(query)}"
        raise Refusal(401, "Unauthorized", "Login Required", {
            "WWW-Authenticate": f'OIDC login="{page}"', "Set-Cookie": f"sg-oidc-state={state}; Path=/; HttpOnly"})

    def callback(self, handler):
        if "error" in handler.query:
            raise Refusal(401, "Unauthorized", "oidc_callback received an error")
        cookie = re.findall(r"sg-oidc-state=([^;\s]+)", handler.headers.get("Cookie", ""))
        if cookie != [handler.query.get("state")] or cookie[0] not in self.states:
            raise Refusal(400, "Bad Request", "No state cookie, or another one")
        self.tokens(handler, {"grant_type": "authorization_code", "code": handler.query.get("code", ""),
                              "redirect_uri": self.callback_url})

    def refresh(self, handler):
        self.tokens(handler, {"grant_type": "refresh_token", "refresh_token": handler.query.get("refresh_token", "")})

    def tokens(self, handler, form):
        pair = base64.b64encode(f"{CLIENT}:{CLIENT_SECRET}".encode()).decode()
        request = urllib.request.Request(f"{self.provider}/oauth2/token", urllib.parse.urlencode(form).encode(),
                                         {"Authorization": f"Basic {pair}"})
        try:
            given = json.load(urllib.request.urlopen(request, timeout=30))
        except urllib.error.HTTPError:
            raise Refusal(401, "Unauthorized", "Unable to refresh token.") from None
        # The provider gives no id_token for a refresh token; a gateway needs one.
        token = given.get("id_token") or given["access_token"]
        self.seen += [token, given.get("refresh_token", "")]
        if "id_token" not in given:
            handler.server.tokens[token] = "waldo"
        answer = {"id_token": token, "session_id": secrets.token_urlsafe(16), "name": "waldo"}
        if "refresh_token" in given:
            answer["refresh_token"] = given["refresh_token"]
        handler.answer(200, answer)

    def user(self, token):
        """The user of a token that the provider has signed and that has not expired."""
        try:
            keys = json.load(urllib.request.urlopen(f"{self.provider}/jwks", timeout=30))
            claims = jwt.decode(token, KeySet.import_key_set(keys), algorithms=["RS256"]).claims
            return claims["sub"] if claims["exp"] > time.time() else None
        except Exception:
            return self.server.tokens.get(token)


def run(trials):
    warnings.simplefilter("ignore")
    import oidc_provider_mock
    for name in ("werkzeug", "oidc_provider_mock"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    documents = Sample(31).documents(40)
    filled = template(trials, documents)
    os.makedirs(trials.root, exist_ok=True)
    # One whose tokens last, and one whose tokens do not.
    for seconds in (3600, 3):
        with oidc_provider_mock.run_server_in_thread(
                access_token_max_age=datetime.timedelta(seconds=seconds)) as provider:
            address = f"http://localhost:{provider.server_port}"
            (lasting if seconds > 10 else short)(trials, address, filled, documents)


def bed(trials, address, direction, filled, documents):
    pair = Pair(trials, "sync-gateway", direction, filled, documents, users={"waldo": ("unused", None)})
    pair.server.provider = Gateway(address)
    pair.server.provider.server = pair.server
    return pair


def log_in(page, **form):
    """What a browser does: the form of the provider's page, and the URL that it is sent to."""
    opener = urllib.request.build_opener(Stay)
    try:
        answer = opener.open(page, urllib.parse.urlencode(form).encode(), timeout=30)
        raise AssertionError(f"the provider answered {answer.status}")
    except urllib.error.HTTPError as redirect:
        return redirect.headers["Location"]


def once(trials, pair, path, browser=None):
    """A run of the program. `browser` gets the page, and returns what the user enters."""
    output = os.path.join(trials.root, "openid.log")
    with open(output, "wb") as file:
        process = subprocess.Popen(
            [trials.program, "replicate", *pair.ends(), "--openid-file", path, "--log", "all=debug"], stdout=file,
            stderr=subprocess.STDOUT, stdin=subprocess.PIPE, start_new_session=True)
    watch, began, is_asked = Watch(process), time.monotonic(), False
    while process.poll() is None and time.monotonic() - began < 60:
        with open(output, errors="replace") as file:
            page = re.search(r"ends at: (\S+)", file.read())
        if page and not is_asked:
            is_asked = True
            if browser:
                process.stdin.write(browser(page[1]).encode() + b"\n")
                process.stdin.flush()
            else:
                process.stdin.close()
        time.sleep(0.05)
    status = process.returncode
    if status is None:
        kill(process)
        status = "no end"
    with open(output, errors="replace") as file:
        result = Run(status, file.read(), time.monotonic() - began)
    hidden = [each for each in pair.server.provider.seen if each] + [CLIENT_SECRET]
    return result, is_asked, leaks(hidden, pair, result, watch, allowed=(path,))


def expect(trials, name, pair, outcome, succeeds=True, asks=False, words=""):
    result, is_asked, leak = outcome
    is_right = result.status == (0 if succeeds else 1) and is_asked == asks and words in result.output
    problem = "" if is_right else f"asked: {is_asked}, {result}"
    trials.check(f"openid, {name}", problem or (pair.difference() if succeeds else ""))
    trials.check(f"openid, {name}: secrets", leak)


def tokens(path):
    with open(path) as file:
        return json.load(file)


def lasting(trials, address, filled, documents):
    for direction in ("pull", "push"):
        path = os.path.join(trials.root, f"tokens-{direction}")
        pair = bed(trials, address, direction, filled, documents)
        expect(trials, f"login, {direction}", pair,
               once(trials, pair, path, lambda page: log_in(page, sub="waldo")), asks=True)
        mode = stat.S_IMODE(os.stat(path).st_mode)
        is_kept = mode == 0o600 and set(tokens(path)) == {"id_token", "refresh_token"}
        trials.check(f"openid, kept, {direction}", "" if is_kept else f"mode {mode:o}, {set(tokens(path))}")
        expect(trials, f"kept tokens, {direction}", pair, once(trials, pair, path))
        pair.close()
    for name, browser, words in (
            ("denied", lambda page: log_in(page, action="deny"), "denied"),
            ("no answer", None, "did not log in"), ("nonsense", lambda page: "\0 no URL", "401"),
            ("another page", lambda page: "https://evil.example/_oidc?code=abc", "another page"),
            ("a forged code", lambda page: log_in(page, sub="waldo").replace("code=", "code=x"), "401"),
            ("a forged state", lambda page: log_in(page, sub="waldo").replace("state=", "state=x"), "400")):
        path = os.path.join(trials.root, "tokens-none")
        pair = bed(trials, address, "pull", filled, documents)
        expect(trials, name, pair, once(trials, pair, path, browser), succeeds=False, asks=True, words=words)
        trials.check(f"openid, {name}: no file", "there is one" if os.path.exists(path) else "")
        pair.close()
    interrupted(trials, address, filled, documents)
    for text in ("[]", "x", ""):
        with open(path, "w") as file:
            file.write(text)
        pair = bed(trials, address, "pull", filled, documents)
        expect(trials, f"a file that holds {text!r}", pair, once(trials, pair, path), succeeds=False, words="495")
        pair.close()


def interrupted(trials, address, filled, documents):
    """Nobody logs in, and the program is to end."""
    pair = bed(trials, address, "pull", filled, documents)
    path = os.path.join(trials.root, "tokens-none")
    process = subprocess.Popen([trials.program, "replicate", *pair.ends(), "--openid-file", path],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    try:
        status = process.wait(15)
        trials.check("openid, interrupted", "" if status == 130 else f"status {status}")
    except subprocess.TimeoutExpired:
        process.kill()
        trials.check("openid, interrupted", "it does not end")
    pair.close()


def short(trials, address, filled, documents):
    """Tokens that expire after 3 seconds."""
    path = os.path.join(trials.root, "tokens-short")
    pair = bed(trials, address, "pull", filled, documents)
    expect(trials, "login for a short time", pair,
           once(trials, pair, path, lambda page: log_in(page, sub="waldo")), asks=True)
    before = tokens(path)
    time.sleep(3.5)
    expect(trials, "refreshed", pair, once(trials, pair, path))
    after = tokens(path)
    is_new = after["id_token"] != before["id_token"] and "refresh_token" in after
    trials.check("openid, refreshed: kept", "" if is_new else "the file has the old token")
    # Nobody may refresh any more.
    pair.server.tokens.clear()
    request = urllib.request.Request(f"{address}/users/waldo/revoke-tokens", b"", method="POST")
    urllib.request.urlopen(request, timeout=30)
    expect(trials, "refresh token revoked, denied", pair,
           once(trials, pair, path, lambda page: log_in(page, action="deny")), succeeds=False, asks=True,
           words="denied")
    expect(trials, "refresh token revoked, logged in again", pair,
           once(trials, pair, path, lambda page: log_in(page, sub="waldo")), asks=True)
    pair.close()
