/// The origin of a page (RFC 6454): `https://app.example:8443`. Two are the same if scheme, host and port are.
struct WebOrigin: Sendable, Hashable {
    let isSecure: Bool
    let host: HostName
    let port: UInt16

    /// Nil for `null`, other schemes, and for more than scheme, host and port.
    init?(_ text: String) {
        let lower = text.utf8.prefix(8).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
        let schemes: [(String, Bool)] = [("http://", false), ("https://", true)]
        guard let (scheme, isSecure) = schemes.first(where: { lower.starts(with: $0.0.utf8) }),
            let authority = Authority(String(decoding: text.utf8.dropFirst(scheme.utf8.count), as: UTF8.self))
        else { return nil }
        self.init(authority, isSecure: isSecure)
    }

    /// The origin of the pages that a host serves.
    init(_ authority: Authority, isSecure: Bool) {
        self.isSecure = isSecure
        host = authority.host
        port = authority.port ?? (isSecure ? 443 : 80)
    }
}
