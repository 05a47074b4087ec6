"""Routes of the server: the server itself, databases, checkpoints, logins."""
import json
import secrets
import urllib.parse

from store import Refusal, generation


class DatabaseRoutes:
    def dispatch(self):
        steps, method = self.steps, self.command
        if steps[0] == "_test":
            return self.control(steps[1:])
        if steps == [""]:
            return self.answer(200, self.dialect.welcome(self.server))
        if steps[0] in ("_up", "_all_dbs", "_uuids", "_session"):
            return self.of_server(steps[0])
        name = steps[0]
        if len(steps) == 1 and self.dialect.name == "sync-gateway":
            return self.answer(301, {}, {"Location": f"/{urllib.parse.quote(name, safe='')}/"})
        rest = steps[1:-1] if len(steps) > 1 and steps[-1] == "" else steps[1:]
        if not rest and method == "PUT":
            return self.create(name)
        database = self.server.databases.get(name)
        if database is None:
            raise Refusal(404, "not_found", "Database does not exist.")
        if not rest:
            return self.of_database(database)
        if rest[0] in ("_local", "_design") and len(rest) > 1:
            rest = ["/".join(rest[:2])] + rest[2:]
        if rest[0].startswith("_local/"):
            return self.local(database, rest[0][7:])
        if rest[0].startswith("_") and not rest[0].startswith("_design/"):
            return self.special(database, rest[0])
        if len(rest) == 1:
            if method in ("GET", "HEAD"):
                return self.get_document(database, rest[0])
            if method == "DELETE":
                rev = database.edit(rest[0], {"_deleted": True}, self.told_parent())
                return self.answer(200, {"ok": True, "id": rest[0], "rev": rev})
            return self.put_document(database, rest[0])
        name = "/".join(rest[1:])
        if method in ("GET", "HEAD"):
            return self.get_attachment(database, rest[0], name)
        return self.put_attachment(database, rest[0], name)

    def special(self, database, name):
        posts = {"_revs_diff": self.revs_diff, "_bulk_get": self.bulk_get, "_bulk_docs": self.bulk_docs,
                 "_ensure_full_commit": self.ensure_full_commit}
        routes = {"_changes": self.changes, "_all_docs": self.all_docs, "_security": self.of_security,
                  "_session": self.session, "_oidc_challenge": self.oidc_challenge,
                  "_oidc_callback": self.oidc_callback, "_oidc_refresh": self.oidc_refresh}
        if name in posts and self.command == "POST":
            return posts[name](database)
        if name in routes:
            return routes[name](database)
        raise Refusal(404, "not_found", "missing")

    # MARK: The server

    def of_server(self, name):
        if name == "_session":
            return self.session(None)
        if name == "_uuids":
            return self.answer(200, {"uuids": [secrets.token_hex(16) for _ in range(int(self.query.get("count", 1)))]})
        self.answer(200, {"status": "ok"} if name == "_up" else sorted(self.server.databases))

    def control(self, steps):
        server = self.server
        if steps[0] == "dump":
            text = json.dumps(server.databases[steps[1]].dump(), sort_keys=True, separators=(",", ":"))
            return self.answer_bytes(200, "application/json", text.encode())
        if steps[0] == "counts":
            with server.counting:
                found = dict(server.counts)
                if self.command == "DELETE":
                    server.counts.clear()
            return self.answer(200, found)
        if steps[0] == "told":
            return self.answer(200, server.told)
        if steps[0] == "poison":
            for id in json.loads(self.body()):
                server.poison.kinds[id] = steps[1]
            return self.answer(200, server.poison.kinds)
        if steps[0] == "restart":
            server.restart()
            return self.answer(200, {"ok": True})
        raise Refusal(404, "not_found", "missing")

    # MARK: Logins

    def session(self, database):
        cookie = "SyncGatewaySession" if self.dialect.name == "sync-gateway" else "AuthSession"
        if self.command == "POST":
            text = self.body()
            if self.headers.get("Content-Type", "").startswith("application/json"):
                fields = self.parsed(text)
            else:
                fields = dict(urllib.parse.parse_qsl(text.decode()))
            name = fields.get("name")
            if name not in self.server.users or self.server.users[name][0] != fields.get("password"):
                raise Refusal(401, "unauthorized", "Name or password is incorrect.")
            return self.logged_in(name, cookie)
        if self.command == "DELETE":
            return self.answer(200, {"ok": True}, {"Set-Cookie": f"{cookie}=; Path=/; Max-Age=0"})
        self.answer(200, {"ok": True, "userCtx": {"name": self.user, "roles": [], "channels": {}},
                          "authentication_handlers": ["default", "cookie"]})

    def logged_in(self, name, cookie):
        secret = secrets.token_urlsafe(24)
        self.server.sessions[secret] = name
        self.answer(200, {"ok": True, "name": name, "userCtx": {"name": name, "roles": []}},
                    {"Set-Cookie": f"{cookie}={secret}; Path=/; HttpOnly"})

    def oidc_challenge(self, database):
        """Where to log in. The provider of the trials logs everybody in as the first user."""
        if self.server.provider:
            return self.server.provider.challenge(self)
        where = f"http://127.0.0.1:{self.server.port}/{database.name}/_oidc_callback?code="
        code = secrets.token_urlsafe(12)
        self.server.codes[code] = next(iter(self.server.users), "guest")
        raise Refusal(401, "Unauthorized", "Login required", {"WWW-Authenticate": f'OIDC login="{where}{code}"'})

    def oidc_callback(self, database):
        if self.server.provider:
            return self.server.provider.callback(self)
        name = self.server.codes.pop(self.query.get("code"), None)
        if name is None:
            raise Refusal(401, "Unauthorized", "Invalid code")
        self.tokens_for(name)

    def oidc_refresh(self, database):
        if self.server.provider:
            return self.server.provider.refresh(self)
        name = self.server.codes.get(self.query.get("refresh_token"))
        if name is None:
            raise Refusal(401, "Unauthorized", "Invalid refresh token")
        self.tokens_for(name)

    def tokens_for(self, name):
        token, refresh, session = (secrets.token_urlsafe(24) for _ in range(3))
        self.server.tokens[token], self.server.codes[refresh], self.server.sessions[session] = name, name, name
        self.answer(200, {"id_token": token, "refresh_token": refresh, "session_id": session, "name": name})

    # MARK: Databases

    def create(self, name):
        if not self.dialect.creates:
            raise Refusal(403, "Forbidden", "not on the public port")
        if name in self.server.databases:
            raise Refusal(412, "file_exists", "The database could not be created, the file already exists.")
        self.server.create(name)
        self.answer(201, {"ok": True})

    def of_database(self, database):
        if self.command == "DELETE":
            del self.server.databases[database.name]
            return self.answer(200, {"ok": True})
        if self.command == "POST":
            fields = self.json_body()
            id = fields.get("_id") or self.server.new_id()
            return self.answer(201, {"ok": True, "id": id, "rev": database.edit(id, fields, fields.get("_rev"))})
        with database.changed:
            self.answer(200, self.dialect.information(database))

    def of_security(self, database):
        if self.command == "PUT":
            database.security = self.parsed(self.body())
            return self.answer(200, {"ok": True})
        self.answer(200, database.security)

    def ensure_full_commit(self, database):
        self.body()
        if not self.dialect.has_commit:
            raise Refusal(404, "not_found", "missing")
        self.answer(201, {"ok": True, "instance_start_time": database.start_time})

    def all_docs(self, database):
        keys = self.json_body().get("keys") if self.command == "POST" else None
        if "keys" in self.query:
            keys = json.loads(self.query["keys"])
        if "key" in self.query:
            keys = [json.loads(self.query["key"])]
        rows = []
        for id in keys if keys is not None else sorted(database.documents):
            document = database.document(id)
            rev = document.leaves()[0] if document else None
            deleted = document is not None and document.nodes[rev].deleted
            if document is None or deleted and keys is None:
                rows += [{"key": id, "error": "not_found"}] if keys is not None else []
                continue
            row = {"id": id, "key": id, "value": {"rev": rev, "deleted": True} if deleted else {"rev": rev}}
            if self.query.get("include_docs") == "true":
                row["doc"] = None if deleted else self.shown(database, document, rev)
            rows.append(row)
        skip, total = int(self.query.get("skip", 0)), len(rows)
        rows = rows[skip:skip + int(self.query.get("limit", total))]
        self.answer(200, {"total_rows": total, "offset": skip, "rows": rows})

    def revs_diff(self, database):
        found, asked = {}, self.json_body()
        with database.changed:
            self.server.asked += len(asked)
            for id, revs in asked.items():
                document = database.document(id)
                nodes = document.nodes if document else {}
                missing = [rev for rev in revs if rev not in nodes]
                if not missing:
                    continue
                found[id] = {"missing": missing}
                newest = max(generation(rev) for rev in missing)
                ancestors = [leaf for leaf in document.leaves() if generation(leaf) < newest] if document else []
                if ancestors:
                    found[id]["possible_ancestors"] = ancestors
        self.answer(200, found)

    def local(self, database, id):
        if self.command in ("GET", "HEAD"):
            if id not in database.locals:
                raise Refusal(404, "not_found", "missing")
            number, fields = database.locals[id]
            return self.answer(200, {"_id": "_local/" + id, "_rev": f"0-{number}", **fields})
        if self.command == "DELETE":
            if database.locals.pop(id, None) is None:
                raise Refusal(404, "not_found", "missing")
            return self.answer(200, {"ok": True, "id": "_local/" + id, "rev": "0-0"})
        fields = self.parsed(self.body())
        self.server.watch(database, id, fields)
        rev = database.save_local(id, fields, fields.get("_rev") or self.query.get("rev"))
        self.answer(201, {"ok": True, "id": "_local/" + id, "rev": rev})
