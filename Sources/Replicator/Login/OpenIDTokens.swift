/// What a Sync Gateway gives to a user who has logged in at an OpenID provider. Both are secrets.
public struct OpenIDTokens: Sendable, Equatable {
    /// Sent with each request until it expires.
    public var idToken: String?
    /// Gets the next `idToken` without the user.
    public var refreshToken: String?

    public init(idToken: String? = nil, refreshToken: String? = nil) {
        self.idToken = idToken
        self.refreshToken = refreshToken
    }
}
