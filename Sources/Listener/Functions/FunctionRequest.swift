internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What functions of design documents learn about a request.
extension Exchange {
    /// The `req` of filters, as CouchDB makes it. Blocks.
    ///
    /// Facts: CouchDB 3, `json_req_obj_fields` in src/chttpd/src/chttpd_external.erl. Nothing in it lets a client log
    /// in: credentials in headers are left out, and there are no cookies.
    ///
    /// - Parameter members: What the body has.
    func functionRequest(_ members: JSONObject, in served: ServedDatabase) throws -> [UInt8] {
        let path = JSONValue.array(target.segments.map { .string($0.string) })
        var query = JSONObject()
        for item in target.query { query[item.name.string] = .string(item.value.string) }
        var headers = JSONObject()
        for field in request.head.headerFields where !Exchange.credentials.contains(field.name) {
            headers[field.name.rawName] = .string(field.value)
        }
        if let host = request.head.authority { headers["Host"] = .string(host) }
        let body = method == .post ? String(decoding: try members.canonicalBytes(), as: UTF8.self) : "undefined"
        let information = try JSONValue(parsing: Exchange.information(served, core.tasks).bytes)
        let object: JSONObject = [
            "info": information,
            "id": .null,
            "uuid": .string(RandomIdentifier.text()),
            "method": .string(method.rawValue),
            "requested_path": path,
            "path": path,
            "raw_path": .string(target.text),
            "query": .object(query),
            "headers": .object(headers),
            "body": .string(body),
            "peer": .string(request.remoteAddress ?? ""),
            "form": .object(JSONObject()),
            "cookie": .object(JSONObject()),
            "userCtx": .object(served.userContext(of: access.user)),
            "secObj": .object(try served.security().document),
        ]
        return try object.canonicalBytes()
    }

    private static let credentials: Set<HTTPField.Name> = [
        .authorization, .cookie, .proxyAuthorization, HTTPField.Name("X-Auth-CouchDB-Token")!,
    ]
}
