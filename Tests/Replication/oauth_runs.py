"""OAuth 1: oauthlib checks each request that a run sends."""
import json
import os

from oauthlib.oauth1 import RequestValidator, ResourceEndpoint

from sample import Sample
from trial import Pair, template
from watched import Watch, leaks

KEY = {"consumer_key": "dpf43f3p2l4k3l03dpf4", "consumer_secret": "kd94hf93k423kf44kd94",
       "token": "nnch734d00sl2jdknnch", "token_secret": "pfkkdhi9sl3r4s00pfkk"}
# Characters that are escaped in one place and not in another.
AWKWARD = {"consumer_key": "k/e+y=&%25 \u00e4\u20ac'()*!~,\"\\",
           "consumer_secret": "s&e=c+r%e/t \u00e4\U0001f511'()*!~", "token": "t=1&u=2;v~'()*!\u00fc",
           "token_secret": " &=+%\u6f22\u5b57 "}
NAMES = ("db", "\u00e4rzte+b\u00fccher", "a b&c=d%2Fe", "\u6f22\u5b57/(x)!~'*", "caf\u0065\u0301")


class Validator(RequestValidator):
    """Knows one app and one user; remembers all nonces."""

    enforce_ssl = False
    allowed_signature_methods = ("HMAC-SHA1",)
    dummy_client, dummy_access_token = "dummy", "dummy"

    def __init__(self, secrets, is_awkward):
        super().__init__()
        self.secrets, self.is_awkward, self.seen = secrets, is_awkward, set()

    # oauthlib takes letters and digits only, 20 to 30 of them, unless it is told otherwise.
    def check_client_key(self, key):
        return self.is_awkward or super().check_client_key(key)

    def check_access_token(self, token):
        return self.is_awkward or super().check_access_token(token)

    def validate_client_key(self, key, request):
        return key == self.secrets["consumer_key"]

    def validate_access_token(self, key, token, request):
        return token == self.secrets["token"]

    def validate_timestamp_and_nonce(self, key, timestamp, nonce, request, request_token=None, access_token=None):
        is_new = nonce not in self.seen
        self.seen.add(nonce)
        return is_new

    def validate_realms(self, *arguments, **options):
        return True

    def get_client_secret(self, key, request):
        return self.secrets["consumer_secret"]

    def get_access_token_secret(self, key, token, request):
        return self.secrets["token_secret"]


class Checker:
    def __init__(self, secrets, is_awkward):
        self.endpoint = ResourceEndpoint(Validator(secrets, is_awkward))
        self.good, self.bad = 0, []

    def __call__(self, handler):
        url = f"http://127.0.0.1:{handler.server.port}{handler.path}"
        headers = {"Authorization": handler.headers["Authorization"], "Content-Type": "application/json"}
        is_good, _ = self.endpoint.validate_protected_resource_request(url, handler.command, None, headers)
        self.good += is_good
        if not is_good:
            self.bad.append(f"{handler.command} {handler.path}")
        return "waldo" if is_good else None


def run(trials):
    documents = Sample(29).documents(40)
    filled = template(trials, documents)
    os.makedirs(trials.root, exist_ok=True)
    for what, secrets in (("plain", KEY), ("awkward", AWKWARD)):
        path = os.path.join(trials.root, what + ".json")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            json.dump(secrets, file, ensure_ascii=False, indent=1)
        for name in NAMES:
            for dialect, direction in (("couchdb", "pull"), ("couchdb", "push"), ("sync-gateway", "pull")):
                one(trials, f"oauth, {what}, {dialect}, {direction}, {name!r}", dialect, direction, name, filled,
                    documents, path, secrets)
    wrong(trials, filled, documents)
    malformed(trials, filled)


def one(trials, title, dialect, direction, name, filled, documents, path, secrets):
    pair = Pair(trials, dialect, direction, filled, documents, name, users={"waldo": ("unused", None)})
    pair.server.oauth = Checker(secrets, secrets is AWKWARD)
    process = trials.start(*pair.ends(), "--oauth-file", path, "--log", "all=debug")
    watch = Watch(process)
    result = trials.wait(process, 60)
    if pair.server.oauth.bad:
        trials.check(title, f"{len(pair.server.oauth.bad)} wrong signatures, such as {pair.server.oauth.bad[0]}")
    else:
        trials.check(title, pair.difference() if result.status == 0 and pair.server.oauth.good else result)
    hidden = [secrets["consumer_secret"], secrets["token_secret"].strip()]
    trials.check(f"{title}: secrets", leaks(hidden, pair, result, watch))
    pair.close()


def wrong(trials, filled, documents):
    """Secrets that the server does not know."""
    for member in KEY:
        path = os.path.join(trials.root, "wrong.json")
        with open(path, "w") as file:
            json.dump({**KEY, member: "x" * 20}, file)
        pair = Pair(trials, "couchdb", "pull", filled, documents, users={"waldo": ("unused", None)})
        pair.server.oauth = Checker(KEY, False)
        result = pair.run("--oauth-file", path, seconds=60)
        requests = sum(row["requests"] for row in pair.server.counts.values())
        trials.check(f"oauth, wrong {member}", "" if result.status == 1 and requests <= 6 else f"{requests}, {result}")
        pair.close()


def malformed(trials, filled):
    local = filled.copy(trials.folder())
    for text in ("", "[]", "{", '{"consumer_key":"secret-1"}', json.dumps({**KEY, "token": 1})):
        path = os.path.join(trials.root, "malformed.json")
        with open(path, "w") as file:
            file.write(text)
        result = trials.run(local.path, "http://127.0.0.1:1/db", "--oauth-file", path)
        is_right = result.status == 1 and "495" in result.output and "secret-1" not in result.output
        trials.check(f"oauth, malformed {text[:20]}", "" if is_right else result)
