internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

@Suite struct SessionAnswerTests {
    private static let json: KeyValuePairs = ["Content-Type": "application/json"]
    private static let form: KeyValuePairs = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]

    private func logIn(
        _ fixture: PolicyFixture,
        _ body: String,
        _ headers: KeyValuePairs<String, String> = json,
        isSecure: Bool = false
    ) async -> Result<AccessPolicy.SessionAnswer, AccessRefusal> {
        let request = AccessRequest.make(.post, headers, isSecure: isSecure)
        do throws(AccessRefusal) {
            let access = try await fixture.policy.decide(request, needs: .open)
            return .success(try await fixture.policy.logIn(body: Array(body.utf8), request, access))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: [
            #"{"name":"ida","password":"correct horse 7"}"#, #"{"username":"ida","password":"correct horse 7"}"#,
            #"{"name":"ida","password":"correct horse 7","next":"http://evil.example/"}"#,
        ]
    )
    func logsInWithJSON(body: String) async throws {
        let answer = try await logIn(PolicyFixture(), body).get()
        #expect(answer.body == ["ok": true, "name": "ida", "roles": ["writer"]])
        let cookie = try #require(answer.headers[.setCookie])
        #expect(cookie.hasPrefix("AuthSession="))
        #expect(cookie.hasSuffix("; Path=/; Max-Age=600; HttpOnly; SameSite=Strict"))
        #expect(answer.headers[.location] == nil && !cookie.contains("correct"))
    }

    @Test(
        arguments: [
            "name=ida&password=correct+horse+7", "name=ida&password=correct%20horse%207&next=/x",
            "username=ida&password=correct+horse%207",
        ]
    )
    func logsInWithForms(body: String) async throws {
        let answer = try await logIn(PolicyFixture(), body, Self.form).get()
        #expect(answer.body["name"] == "ida")
    }

    @Test func cookiesOfTLSStayThere() async throws {
        let body = #"{"name":"ida","password":"correct horse 7"}"#
        let fixture = PolicyFixture()
        let answer = try await logIn(fixture, body, isSecure: true).get()
        #expect(answer.headers[.setCookie]?.hasSuffix("; HttpOnly; SameSite=Strict; Secure") == true)
        fixture.clock.advance(300)
        let value = PolicyFixture.value(ofCookie: answer.headers[.setCookie] ?? "")
        let access = try await fixture.policy.decide(.cookie(value, isSecure: true), needs: .serverRead)
        #expect(access.headers[.setCookie]?.hasSuffix("; Secure") == true)
    }

    @Test(
        arguments: [
            (#"{"name":"ida","password":"wrong"}"#, 401), (#"{"name":"IDA","password":"correct horse 7"}"#, 401),
            (#"{"name":"","password":""}"#, 401), ("", 400), ("{", 400), ("[]", 400), ("{}", 400),
            (#"{"name":"ida"}"#, 400), (#"{"name":1,"password":2}"#, 400),
            (#"{"name":"ida","password":["correct horse 7"]}"#, 400), (String(repeating: " ", count: 20_000), 413),
        ]
    )
    func refuses(body: String, status: Int) async {
        guard case .failure(let refusal) = await logIn(PolicyFixture(), body) else {
            Issue.record("The login was taken.")
            return
        }
        #expect(refusal.error.status == status && refusal.headers[.setCookie] == nil)
        if status == 401 { #expect(refusal.error == .wrongLogin) }
    }

    @Test(arguments: ["text/plain", "multipart/form-data; boundary=x", "application/jsonx", "", "application/json;x"])
    func refusesOtherBodies(type: String) async {
        let body = #"{"name":"ida","password":"correct horse 7"}"#
        let fixture = PolicyFixture()
        let answers = [
            await logIn(fixture, body, ["Content-Type": type]), await logIn(fixture, body, [:]),
            await logIn(fixture, "name=%zz", Self.form),
        ]
        let statuses = answers.map { answer in
            guard case .failure(let refusal) = answer else { return 200 }
            return refusal.error.status
        }
        #expect(statuses == [415, 415, 400])
    }

    @Test func saysWhoARequestIs() async throws {
        let fixture = PolicyFixture()
        let cookie = try await fixture.cookie()
        let access = try await fixture.policy.decide(.cookie(cookie), needs: .open)
        #expect(
            fixture.policy.session(access) == [
                "ok": true, "userCtx": ["name": "ida", "roles": ["writer"]] as JSONObject,
                "info": ["authentication_handlers": ["cookie", "default"], "authenticated": "cookie"] as JSONObject,
            ]
        )
        let basic = try await fixture.policy.decide(.basic("ada", "ada's word"), needs: .open)
        #expect(fixture.policy.session(basic)["info"]?["authenticated"] == "default")
        let nobody = try await fixture.policy.decide(.make(), needs: .open)
        #expect(
            fixture.policy.session(nobody) == [
                "ok": true, "userCtx": ["name": nil, "roles": []] as JSONObject,
                "info": ["authentication_handlers": ["cookie", "default"]] as JSONObject,
            ]
        )
    }

    @Test func withoutUsersEverybodyIsAdmin() async throws {
        let fixture = PolicyFixture(.none)
        let access = try await fixture.policy.decide(.make(.put), needs: .serverAdmin)
        #expect(fixture.policy.session(access)["userCtx"] == ["name": nil, "roles": ["_admin"]])
        guard case .failure(let refusal) = await logIn(fixture, #"{"name":"ida","password":"a"}"#) else {
            Issue.record("There is somebody.")
            return
        }
        #expect(refusal.error == .wrongLogin)
    }

    @Test func logsOut() async throws {
        let fixture = PolicyFixture()
        let request = AccessRequest.cookie(try await fixture.cookie(), .delete)
        let access = try await fixture.policy.decide(request, needs: .open)
        let answer = fixture.policy.logOut(request, access)
        #expect(answer.body == ["ok": true])
        #expect(answer.headers[.setCookie] == "AuthSession=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
        // The empty cookie that some clients send then is none.
        #expect(await fixture.status(.cookie("")) == 401)
        #expect(await fixture.status(.cookie(""), needs: .open) == 200)
    }

    /// A renewed cookie must not come back to life beside the one that a logout clears.
    @Test func aLogoutIsNotRenewed() async throws {
        let fixture = PolicyFixture()
        let request = AccessRequest.cookie(try await fixture.cookie(), .delete)
        fixture.clock.advance(400)
        let access = try await fixture.policy.decide(request, needs: .open)
        #expect(access.headers[.setCookie] != nil)
        let headers = fixture.policy.logOut(request, access).headers
        #expect(headers[values: .setCookie] == ["AuthSession=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"])
    }

    @Test func asksForAPasswordOnlyWhereADialogueHelps() async throws {
        let fixture = PolicyFixture()
        let cases: [(AccessRequest, Bool)] = [
            (.make(), true), (.basic("ida", "wrong"), true),
            (.make(.get, ["X-Requested-With": "XMLHttpRequest"]), false),
            (.cookie("old"), false),
            // `fetch` in a page, from another origin and from its own; and a link that the user follows.
            (.make(.get, ["Sec-Fetch-Mode": "cors"]), false), (.make(.get, ["Sec-Fetch-Mode": "same-origin"]), false),
            (.make(.get, ["Sec-Fetch-Mode": "navigate"]), true),
        ]
        for (request, asks) in cases {
            guard case .failure(let refusal) = await fixture.decide(request) else {
                Issue.record("The request was served.")
                continue
            }
            #expect(refusal.error.status == 401)
            #expect(refusal.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") ?? false == asks)
        }
        guard case .failure(let refusal) = await fixture.decide(.basic("rob", "rob's word"), needs: .databaseWrite)
        else {
            Issue.record("A reader may write.")
            return
        }
        #expect(refusal.error.status == 403 && refusal.headers[.wwwAuthenticate] == nil)
    }
}
