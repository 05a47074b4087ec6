internal import HTTPTypes

/// The cookie of a session in headers.
enum SessionCookie {
    static let name = "AuthSession"

    /// The values of the session cookies that a request has. More than one is the work of somebody else's page.
    static func values(in headers: HTTPFields) -> [String] {
        headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }.compactMap { pair in
            let text = Substring(pair).utf8.drop { $0 == 0x20 || $0 == 0x09 }
            guard text.starts(with: "\(name)=".utf8) else { return nil }
            var value = text.dropFirst(name.utf8.count + 1)
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            // After a logout some clients keep sending an empty one.
            return value.isEmpty ? nil : String(Substring(value))
        }
    }

    /// The value of Set-Cookie.
    ///
    /// - Parameter value: Nil ends the session.
    static func header(_ value: String?, isSecure: Bool) -> String {
        let age = value == nil ? 0 : SessionTicket.lifetime
        let secure = isSecure ? "; Secure" : ""
        return "\(name)=\(value ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(secure)"
    }
}
