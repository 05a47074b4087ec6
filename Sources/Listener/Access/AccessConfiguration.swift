/// Who may use a listener, and how they log in.
///
/// ```swift
/// var access = AccessConfiguration(users: try .file("/etc/settee/users"))
/// access.crossOrigin = try .origins(["https://app.example"])
/// ```
public struct AccessConfiguration: Sendable {
    /// Returns the user that a client certificate stands for, nil if it stands for none. It is called for each request,
    /// with the certificate in DER, after TLS has verified it.
    public typealias CertificateCheck = @Sendable (_ certificate: [UInt8]) async -> UserContext?

    /// Who has a name and a password.
    public var users: ListenerUsers
    /// Which tokens are taken; nil for none.
    public var tokens: TokenRules?
    /// Who client certificates stand for; nil if nobody.
    public var certificates: CertificateCheck?
    /// Which pages of other origins may use the listener.
    public var crossOrigin = CrossOriginRules.off
    /// Names besides `localhost` that requests may name as their host, as `settee.local`. It matters only where nobody
    /// has to log in: there other names are refused, since anybody can let one point to this machine.
    public var hosts: [String] = []
    /// Whether a listener that can be reached from other machines needs no login. Whoever reaches it may do everything.
    public var allowsAnyone = false
    /// What session cookies are signed with, 32 bytes or more; nil: something that is made anew at each start, which
    /// ends all sessions. Keep it as secret as a password: with it and a user's entry anybody makes cookies of that
    /// user.
    public var sessionSecret: [UInt8]?
    /// Whether only checkpoints of replications are written.
    public var isReadOnly = false

    public init(users: ListenerUsers = .none) { self.users = users }

    /// Whether there is any way to log in. Then there is nothing without.
    var needsLogin: Bool {
        if case .none = users.source { return tokens != nil || certificates != nil }
        return true
    }
}
