internal import Crypto
internal import SetteeCouchProtocol

/// Writes and reads the values of session cookies: the ticket as base64url, a dot, and the HMAC-SHA256 of that text as
/// base64url. Its key is made of the listener's secret and of what the user's password is compared with, so that
/// another secret, a new password and the user's removal end the session.
struct SessionSigner: Sendable {
    /// Browsers keep cookies of up to 4,096 bytes, name and attributes included.
    static let longest = 3_800

    static let shortestSecret = 32

    private let secret: SymmetricKey

    /// - Parameter secret: Nil for a new one.
    init(secret: [UInt8]? = nil) {
        self.secret = secret.map { SymmetricKey(data: $0) } ?? SymmetricKey(size: .bits256)
    }

    /// Nil if name and roles are too long for a cookie.
    func value(_ ticket: SessionTicket, salt: [UInt8]) -> String? {
        let text = Base64URL.encode(ticket.json)
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key(salt))
        let value = "\(text).\(Base64URL.encode(code))"
        return value.utf8.count <= SessionSigner.longest ? value : nil
    }

    /// Reads a value. Nil if it was not made here.
    ///
    /// - Parameter salt: Returns the salt of a user's cookies, nil if there is no such user.
    func ticket(
        _ value: String,
        salt: (String) throws(CouchError) -> [UInt8]?
    ) throws(CouchError) -> SessionTicket? {
        guard value.utf8.count <= SessionSigner.longest else { return nil }
        let parts = value.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, let json = Base64URL.decode(parts[0]), let code = Base64URL.decode(parts[1]),
            let ticket = SessionTicket(json: json), let name = ticket.user.name, let salt = try salt(name),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Array(parts[0]), using: key(salt))
        else { return nil }
        return ticket
    }

    private func key(_ salt: [UInt8]) -> SymmetricKey {
        SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: salt, using: secret))
    }
}
