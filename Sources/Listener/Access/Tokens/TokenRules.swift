public import StorageProtocol

/// Which JSON Web Tokens (RFC 7519) log a request in, as `Authorization: Bearer TOKEN`.
///
/// `exp` and `sub` are required; `sub` is the user's name. `nbf` counts where there is one.
public struct TokenRules: Sendable {
    let keys: [TokenKey]
    let audience: String?
    let issuer: String?
    let rolesClaim: String

    /// - Parameters:
    ///   - keys: Keys that tokens may be signed with. At most 16.
    ///   - audience: What `aud` must contain; nil if it does not matter.
    ///   - issuer: What `iss` must be; nil if it does not matter.
    ///   - rolesClaim: The member with the user's roles, an array of strings. CouchDB's name by default.
    /// - Throws: `badParameter` (495) without keys, or with too many.
    public init(
        keys: [TokenKey],
        audience: String? = nil,
        issuer: String? = nil,
        rolesClaim: String = "_couchdb.roles"
    ) throws(StorageError) {
        guard 1...16 ~= keys.count else {
            throw StorageError(.badParameter, "Tokens need 1 to 16 keys. Give the keys of the issuers in use.")
        }
        self.keys = keys
        self.audience = audience
        self.issuer = issuer
        self.rolesClaim = rolesClaim
    }
}
