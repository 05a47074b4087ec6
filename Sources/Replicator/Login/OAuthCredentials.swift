/// The secrets of OAuth 1 (RFC 5849): those of the app and those of the user.
public struct OAuthCredentials: Sendable {
    public var consumerKey: String
    public var consumerSecret: String
    public var token: String
    public var tokenSecret: String

    public init(consumerKey: String, consumerSecret: String, token: String, tokenSecret: String) {
        self.consumerKey = consumerKey
        self.consumerSecret = consumerSecret
        self.token = token
        self.tokenSecret = tokenSecret
    }
}
