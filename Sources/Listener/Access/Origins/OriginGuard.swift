internal import HTTPTypes
internal import SetteeCouchProtocol

/// Keeps pages in a browser from a listener that is not theirs: by Host against DNS rebinding, by Origin against forged
/// requests.
struct OriginGuard: Sendable {
    let rules: CrossOriginRules
    /// Which hosts a request may name.
    let hosts: AllowedHosts

    /// Checks Host and Origin.
    ///
    /// - Returns: The Origin, if it is that of a page of another origin that is allowed.
    /// - Throws: `bad_request` (400) for a missing or malformed Host; `forbidden` (403) for a host or an origin that is
    ///   not allowed.
    func check(_ request: AccessRequest) throws(CouchError) -> String? {
        let host = try host(of: request)
        guard hosts.allow(host.host) else {
            throw .forbidden("The Host header names another machine. Use the listener's address, or allow that name.")
        }
        let origins = request.headers[values: .origin]
        guard let origin = origins.first else {
            try checkFetchSite(request)
            return nil
        }
        if origins.count == 1, WebOrigin(origin) == WebOrigin(host, isSecure: request.isSecure) { return nil }
        if origins.count == 1, rules.allows(origin) { return origin }
        if !request.isSafe { throw OriginGuard.foreign }
        return nil
    }

    private func host(of request: AccessRequest) throws(CouchError) -> Authority {
        let names = request.hosts
        guard let name = names.first, let host = Authority(name),
            names.allSatisfy({ $0.utf8.elementsEqual(name.utf8) })
        else { throw .badRequest("The Host header is missing or malformed.") }
        return host
    }

    /// For browsers that leave out Origin but say where a request comes from.
    private func checkFetchSite(_ request: AccessRequest) throws(CouchError) {
        guard !request.isSafe else { return }
        let sites = HTTPField.Name("Sec-Fetch-Site").map { request.headers[values: $0] } ?? []
        let isOwn = sites.allSatisfy { $0.utf8.elementsEqual("same-origin".utf8) || $0.utf8.elementsEqual("none".utf8) }
        if !isOwn { throw OriginGuard.foreign }
    }

    private static var foreign: CouchError {
        .forbidden("A page of another origin may change nothing here. Allow its origin in the CORS settings.")
    }
}
