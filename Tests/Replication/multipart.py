"""Multipart messages, read strictly and written as each server does."""
import secrets

from store import Refusal


def boundary_of(content_type):
    for field in content_type.split(";")[1:]:
        name, _, value = field.strip().partition("=")
        if name.lower() == "boundary":
            return value.strip('"').encode()
    raise Refusal(400, "bad_request", "no boundary")


def read(content_type, body):
    """The parts: headers (lower case) and bytes."""
    line = b"\r\n--" + boundary_of(content_type)
    pieces = (b"\r\n" + body).split(line)
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        raise Refusal(400, "bad_request", "the message has no end")
    found = []
    for piece in pieces[1:-1]:
        head, separator, content = piece.partition(b"\r\n\r\n")
        if not separator:
            raise Refusal(400, "bad_request", "a part has no end of its headers")
        headers = {}
        for field in head.split(b"\r\n"):
            if field:
                name, _, value = field.decode().partition(":")
                headers[name.strip().lower()] = value.strip()
        found.append((headers, content))
    return found


def write(kind, parts):
    """A message of parts, each headers and bytes: its type and its bytes."""
    boundary = secrets.token_hex(16)
    pieces = []
    for headers, content in parts:
        head = "".join(f"{name}: {value}\r\n" for name, value in headers)
        pieces += [f"\r\n--{boundary}\r\n{head}\r\n".encode(), content]
    pieces.append(f"\r\n--{boundary}--".encode())
    return f'{kind}; boundary="{boundary}"', b"".join(pieces)[2:]
