"""Checks the proxy of the trials: each fault is seen by a client as it is meant."""
import http.client
import json

from proxy import Fault, Proxy
from server import Server


def get(connection, path="/db"):
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def outcome(fault, timeout=5):
    """What three requests see."""
    proxy = Proxy(server.port, fault)
    seen = []
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=timeout)
        try:
            status, content, headers = get(connection)
            try:
                json.loads(content)
                seen.append(status)
            except ValueError:
                seen.append(f"{status} that is no JSON")
        except TimeoutError:
            seen.append("silence")
        except (OSError, http.client.HTTPException):
            seen.append("cut")
        connection.close()
    proxy.stop()
    report = proxy.report()
    assert report["requests"] == 3 and (report["done"] or fault.kind in ("none", "delay")), report
    return seen


server = Server("couchdb").start()
server.create("db")
for fault, expected in [
    (Fault(), [200, 200, 200]),
    (Fault("cut-before", 2), [200, "cut", 200]),
    (Fault("cut-after", 2), [200, "cut", 200]),
    (Fault("cut-answer", 300), ["cut", 200, 200]),
    (Fault("cut-answer", 800), [200, "cut", 200]),
    (Fault("cut-request", 10), ["cut", 200, 200]),
    (Fault("half-open", 1), ["silence", 200, 200]),
    (Fault("stall", 1), ["silence", 200, 200]),
    (Fault("delay", seconds=0.1), [200, 200, 200]),
    (Fault("status", 2, times=2), [200, 503, 503]),
    (Fault("html", 3), [200, 200, "200 that is no JSON"]),
    (Fault("truncated", 3), [200, 200, "200 that is no JSON"]),
]:
    found = outcome(fault, 1 if "silence" in expected else 10)
    assert found == expected, (fault, found, expected)
server.stop()
print("the proxy makes all its faults")
