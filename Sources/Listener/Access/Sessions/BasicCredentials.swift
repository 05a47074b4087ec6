internal import SetteeDocumentValues

/// What follows `Basic` in an Authorization header (RFC 7617).
enum BasicCredentials {
    /// More than a name and a password may have.
    private static let longest = 4_096

    /// Nil for what is not base64 of UTF-8 with a colon.
    static func read(_ text: some Collection<UInt8>) -> (name: String, password: String)? {
        guard text.count <= longest, let data = Base64.decode(Array(text).span),
            let colon = data.firstIndex(of: UInt8(ascii: ":")),
            let name = String(validating: data[..<colon], as: UTF8.self),
            let password = String(validating: data[(colon + 1)...], as: UTF8.self)
        else { return nil }
        return (name, password)
    }
}
