package import HTTPTypes
internal import SetteeCouchProtocol
package import SetteeDocumentValues

/// The answers of `_session`, whose route needs `AccessRight.open`.
extension AccessPolicy {
    /// An answer of status 200.
    package struct SessionAnswer: Sendable {
        package let body: JSONObject
        package let headers: HTTPFields
    }

    /// The body of a login may have that many bytes.
    package static let longestLoginBody = 16 << 10

    /// GET: who the request is.
    package func session(_ access: Access) -> JSONObject {
        var handlers = ["cookie", "default"]
        if tokens != nil { handlers.append("jwt") }
        if configuration.certificates != nil { handlers.append("certificate") }
        var info: JSONObject = ["authentication_handlers": .array(handlers.map { .string($0) })]
        if let method = access.method { info["authenticated"] = .string(method.rawValue) }
        return ["ok": true, "userCtx": access.user.json, "info": info]
    }

    /// POST: logs in with a name and a password, in JSON or a form, and sets the cookie. `next` is ignored.
    ///
    /// - Parameter access: What `decide` answered for the request.
    /// - Throws: An `AccessRefusal` with `unauthorized` (401), `bad_request` (400) for a malformed body,
    ///   `bad_content_type` (415), `too_large` (413), `service_unavailable` (503), `internal_server_error` (500).
    package func logIn(
        body: [UInt8],
        _ request: AccessRequest,
        _ access: Access
    ) async throws(AccessRefusal) -> SessionAnswer {
        do throws(CouchError) {
            let form = try LoginForm(body, request.headers)
            let success = try await passwords.verify(
                name: form.name,
                password: form.password,
                address: request.addressGroup.text
            )
            let user = UserContext(name: form.name, roles: success.roles)
            let now = clock.wall()
            let ticket = SessionTicket(user: user, began: now, issued: now)
            guard let value = signer.value(ticket, salt: success.cookieSalt) else {
                throw .badRequest("The user has too many roles for a cookie. Use basic authentication.")
            }
            var headers = access.headers
            headers[.setCookie] = SessionCookie.header(value, isSecure: request.isSecure)
            var answer = user.json
            answer["ok"] = true
            return SessionAnswer(body: answer, headers: headers)
        } catch {
            throw refusal(error, of: request, access.headers)
        }
    }

    /// DELETE: clears the cookie, whoever asks.
    package func logOut(_ request: AccessRequest, _ access: Access) -> SessionAnswer {
        var headers = access.headers
        headers[.setCookie] = SessionCookie.header(nil, isSecure: request.isSecure)
        return SessionAnswer(body: ["ok": true], headers: headers)
    }
}
