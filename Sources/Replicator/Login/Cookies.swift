internal import NIOHTTP1

/// The cookies of an answer, for the server that has sent them. Their attributes do not matter: no other server is sent
/// any.
struct Cookies: Sendable {
    /// What browsers keep of a cookie, and a little more.
    private static let longest = 8 << 10
    private static let most = 20

    /// Each as `name=value`.
    let pairs: [String]

    /// Leaves out what cannot be sent back, and what is too long.
    init(of headers: HTTPHeaders) {
        pairs = Array(
            headers[canonicalForm: "set-cookie"].lazy.compactMap(Cookies.pair).prefix(Cookies.most)
        )
    }

    private static func pair(_ header: Substring) -> String? {
        let pair = header.prefix { $0 != ";" }
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, pair.utf8.count <= longest,
            pair.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") })
        else { return nil }
        return String(pair)
    }
}
