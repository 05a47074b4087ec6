internal import SetteeCouchProtocol
internal import StorageProtocol

/// What the users say of a name before a password is verified.
struct PasswordProof: Sendable {
    /// Whether there is such a user, or only a login would tell.
    let isKnown: Bool
    /// The present roles; nil if only a login tells them.
    let roles: [String]?
    let salt: [UInt8]
    /// For a name that is unknown, one that no password has.
    let hash: [UInt8]
    let parameters: ScryptParameters

    /// What changes with the password. Of a file's entry, salt and hash.
    var bytes: [UInt8] { salt + hash }

    /// - Throws: What `PasswordFile.entries()` throws.
    init(of name: String, in source: ListenerUsers.Source) throws(StorageError) {
        switch source {
        case .none:
            self.init(isKnown: false, roles: nil)
        case .table(let table):
            let roles = table.roles(of: name)
            self.init(isKnown: roles != nil, roles: roles, salt: table.salt)
        case .closure:
            self.init(isKnown: true, roles: nil)
        case .file(let file):
            let entries = try file.entries()
            if let entry = entries.byName[TargetText(name)] {
                self.init(
                    isKnown: true,
                    roles: entry.roles,
                    salt: entry.salt,
                    hash: entry.hash,
                    parameters: entry.parameters
                )
            } else {
                self.init(
                    isKnown: false,
                    roles: nil,
                    salt: [UInt8](repeating: 0, count: 16),
                    hash: [UInt8](repeating: 0, count: Scrypt.hashSize),
                    parameters: entries.dearest
                )
            }
        }
    }

    private init(
        isKnown: Bool,
        roles: [String]?,
        salt: [UInt8] = [],
        hash: [UInt8] = [],
        parameters: ScryptParameters = .standard
    ) {
        self.isKnown = isKnown
        self.roles = roles
        self.salt = salt
        self.hash = hash
        self.parameters = parameters
    }
}
