internal import HTTPTypes

extension CrossOriginRules {
    private static let methods = "GET, HEAD, POST, PUT, DELETE, COPY, OPTIONS"
    private static let requestHeaders =
        "accept, authorization, cache-control, content-type, destination, if-match, if-none-match, origin, range, "
        + "referer, x-requested-with, x-couch-full-commit"
    private static let answerHeaders =
        "accept-ranges, allow, cache-control, content-encoding, content-length, content-range, content-type, etag, "
        + "location, retry-after, server, www-authenticate"

    /// The headers that every answer gets. Without a foreign page, or where it is not allowed, only `Vary`.
    ///
    /// - Parameter origin: The request's Origin; nil if it has none, or that of the listener itself.
    func headers(for origin: String?) -> HTTPFields {
        guard !isOff else { return [:] }
        var headers: HTTPFields = [.vary: "Origin"]
        guard let origin, allows(origin) else { return headers }
        if case .any = origins {
            headers[.accessControlAllowOrigin] = "*"
        } else {
            headers[.accessControlAllowOrigin] = origin
        }
        if allowsCredentials { headers[.accessControlAllowCredentials] = "true" }
        headers[.accessControlExposeHeaders] = CrossOriginRules.answerHeaders
        return headers
    }

    /// The headers of an answer to a preflight request. A method that is not served gets none that allow it.
    func preflightHeaders(for origin: String, method: String) -> HTTPFields {
        var headers = headers(for: origin)
        headers[.accessControlExposeHeaders] = nil
        let isServed = CrossOriginRules.methods.split(separator: ", ").contains { $0.utf8.elementsEqual(method.utf8) }
        guard headers[.accessControlAllowOrigin] != nil, isServed else { return [.vary: "Origin"] }
        headers[.accessControlAllowMethods] = CrossOriginRules.methods
        headers[.accessControlAllowHeaders] = CrossOriginRules.requestHeaders
        headers[.accessControlMaxAge] = String(maxAge)
        return headers
    }
}
