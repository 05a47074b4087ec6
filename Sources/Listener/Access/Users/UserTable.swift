internal import Crypto
internal import SetteeCouchProtocol

/// Users that the program gave.
struct UserTable: Sendable {
    struct Row: Sendable {
        let password: HashedAuthenticationCode<SHA256>
        let roles: [String]
    }

    private let rows: [TargetText: Row]
    private let key = SymmetricKey(size: .bits256)
    /// Compared with where there is no user of a name.
    private let nobody: HashedAuthenticationCode<SHA256>
    /// For the cookies of all users: they end with the table.
    let salt = RandomBytes.make(16)

    init(_ users: [String: ListenerUsers.User]) {
        let key = key
        nobody = HMAC<SHA256>.authenticationCode(for: RandomBytes.make(32), using: key)
        rows = Dictionary(
            users.map { name, user in
                let code = HMAC<SHA256>.authenticationCode(for: Array(user.password.utf8), using: key)
                return (TargetText(name), Row(password: code, roles: user.roles))
            },
            uniquingKeysWith: { _, last in last }
        )
    }

    /// Returns the roles of a user, nil if there is none.
    func roles(of name: String) -> [String]? { rows[TargetText(name)]?.roles }

    /// Returns the roles, or nil if the name or the password is wrong, which take the same time.
    func verify(_ name: String, _ password: String) -> [String]? {
        let row = rows[TargetText(name)]
        let isRight = HMAC<SHA256>.isValidAuthenticationCode(
            row?.password ?? nobody,
            authenticating: Array(password.utf8),
            using: key
        )
        return isRight && !password.isEmpty ? row?.roles : nil
    }
}
