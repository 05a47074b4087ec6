internal import HTTPTypes
internal import NIOHTTP1
internal import NIOHTTPTypesHTTP1
internal import SetteeCouchProtocol

/// The head of a request that may be handled: its framing is beyond doubt.
///
/// A server and a proxy before it that understand the length of a request differently can be made to take one request
/// for two, so whatever is ambiguous is refused, also where the standard lets a server choose.
struct ReceivedHead {
    enum Length: Equatable {
        case none
        case known(Int)
        case chunked
    }

    let request: HTTPRequest
    let bodyLength: Length
    let expectsContinue: Bool
    let isKeptAlive: Bool
    let version: HTTPVersion

    /// - Throws: `CouchError`, to be answered before the connection is closed: 400, 414, 417, 501.
    init(_ head: HTTPRequestHead, isSecure: Bool, targetLimit: Int) throws(CouchError) {
        guard head.uri.utf8.count <= targetLimit else { throw .longTarget }
        guard head.version == .http1_1 || head.version == .http1_0 else {
            throw .badRequest("Use HTTP/1.1 or HTTP/1.0.")
        }
        guard head.method != .CONNECT else {
            throw CouchError(501, "not_implemented", "This server is not a proxy.")
        }
        let headers = head.headers
        let hosts = headers["host"].count
        guard hosts == 1 || hosts == 0 && head.version == .http1_0 else {
            throw .badRequest("Send exactly one Host header.")
        }
        bodyLength = try ReceivedHead.bodyLength(of: head)
        expectsContinue = try ReceivedHead.expectsContinue(head) && bodyLength != .none && bodyLength != .known(0)
        // The parser reads nothing after a request that asks for another protocol, which this server never changes to.
        isKeptAlive = head.isKeepAlive && !headers.contains(name: "upgrade")
        version = head.version
        guard let method = try? HTTPRequest.Method(head.method) else { throw .badRequest("Unknown method.") }
        let target = ReceivedHead.parts(ofTarget: head.uri)
        request = HTTPRequest(
            method: method,
            scheme: isSecure ? "https" : "http",
            authority: target.authority ?? headers.first(name: "host"),
            path: target.path,
            headerFields: HTTPFields(headers, splitCookie: false)
        )
    }

    private static func bodyLength(of head: HTTPRequestHead) throws(CouchError) -> Length {
        let lengths = head.headers["content-length"]
        let codings = head.headers["transfer-encoding"]
        guard !codings.isEmpty else {
            guard let length = lengths.first else { return .none }
            guard lengths.count == 1, 1...18 ~= length.utf8.count,
                length.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let count = Int(length)
            else { throw .badRequest("Content-Length must be one number.") }
            return .known(count)
        }
        guard lengths.isEmpty else {
            throw .badRequest("Send Content-Length or Transfer-Encoding, not both.")
        }
        guard head.version == .http1_1, codings.count == 1, codings[0].lowercased() == "chunked" else {
            throw .badRequest("The only Transfer-Encoding is chunked, and only in HTTP/1.1.")
        }
        return .chunked
    }

    private static func expectsContinue(_ head: HTTPRequestHead) throws(CouchError) -> Bool {
        guard head.version == .http1_1, let expectation = head.headers.first(name: "expect") else { return false }
        guard expectation.lowercased() == "100-continue" else {
            throw CouchError(417, "expectation_failed", "The only expectation is 100-continue.")
        }
        return true
    }

    /// A client of a proxy sends scheme and authority, too. They count then, not the Host header (RFC 9112, section
    /// 3.2.2), and a request in which the two differ is refused with the other checks of hosts.
    private static func parts(ofTarget target: String) -> (authority: String?, path: String) {
        let bytes = target.utf8
        guard bytes.first != UInt8(ascii: "/") else { return (nil, target) }
        for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
            let rest = bytes.dropFirst(scheme.utf8.count)
            let start = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
            let path = String(target[start...])
            return (String(target[rest.startIndex..<start]), path.utf8.first == UInt8(ascii: "/") ? path : "/" + path)
        }
        return (nil, target)
    }
}

/// What the server itself answers, before a handler is asked.
extension CouchError {
    static var longTarget: CouchError {
        CouchError(414, "too_long", "The URL is too long. Send long options in the body of a POST.")
    }
    static var longHead: CouchError {
        CouchError(431, "too_large", "The headers are too long. Send fewer or shorter headers, such as cookies.")
    }
    static var slowHead: CouchError {
        CouchError(408, "request_timeout", "The request did not come in time. Send it again.")
    }
    static var slowBody: CouchError {
        CouchError(408, "request_timeout", "The body came too slowly. Send it again, or send less at once.")
    }
    static var incompleteBody: CouchError { .badRequest("The body ended before its end.") }
    static var malformedBody: CouchError { .badRequest("The chunks of the body are malformed.") }
    static var tooManyConnections: CouchError {
        CouchError(503, "service_unavailable", "Too many connections are open. Try again later.")
    }
}
