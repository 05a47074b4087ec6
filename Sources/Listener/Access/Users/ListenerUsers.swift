public import StorageProtocol

/// Who may use a listener with a name and a password.
///
/// ```swift
/// let few = ListenerUsers.table(["ida": .init(password: secret, roles: ["writer"])])
/// let many = try ListenerUsers.file("/etc/settee/users")
/// let own = ListenerUsers.checked { name, password in await directory.roles(name, password) }
/// ```
public struct ListenerUsers: Sendable {
    enum Source: Sendable {
        case none
        case table(UserTable)
        case closure(UserCheck)
        case file(PasswordFile)
    }

    let source: Source

    /// Returns the roles of a user, or nil if the name or the password is wrong.
    public typealias UserCheck = @Sendable (_ name: String, _ password: String) async -> [String]?

    /// No users: whoever reaches the listener may do everything. It then listens on the loopback only, unless
    /// `AccessConfiguration.allowsAnyone` is set.
    public static var none: ListenerUsers { ListenerUsers(source: .none) }

    /// A table of users. Passwords are kept as HMACs with a key of this process, never as they are.
    public static func table(_ users: [String: User]) -> ListenerUsers {
        ListenerUsers(source: .table(UserTable(users)))
    }

    /// A closure decides. It is called at most once a minute for a name and its right password, and should take as long
    /// for an unknown name as for a wrong password. What it holds must be safe to use from several tasks.
    public static func checked(by check: @escaping UserCheck) -> ListenerUsers {
        ListenerUsers(source: .closure(check))
    }

    /// A file of scrypt hashes, one entry a line, as `fileEntry` makes them. It is read again when it has changed.
    ///
    /// - Throws: `fileSystem` (498) if it cannot be read, is a link, belongs to another user or may be read by others
    ///   than its owner; `badParameter` (495) for a malformed entry; `tooLarge` (413) above 4 MiB or 10,000 entries.
    /// - Complexity: O(bytes of the file).
    public static func file(_ path: String) throws(StorageError) -> ListenerUsers {
        let file = PasswordFile(path)
        _ = try file.entries()
        return ListenerUsers(source: .file(file))
    }

    /// Returns a line for a file of users, without the line feed. Its salt is random.
    ///
    /// Takes about 16 MiB and some tenths of a second: do not call it on a thread that others wait for.
    ///
    /// - Throws: `badParameter` (495) for a name that is empty, longer than 256 bytes or has a colon or control
    ///   characters, for a password that is empty or longer than 1,024 bytes, and for an empty or too long role.
    public static func fileEntry(
        name: String,
        password: String,
        roles: [String]
    ) throws(StorageError) -> String {
        try PasswordEntry(name: name, password: password, roles: roles, parameters: .standard).line
    }

    /// A user of a table.
    public struct User: Sendable {
        var password: String
        var roles: [String]

        /// - Parameter roles: Of `reader`, `writer`, `admin`, and names for `_security`.
        public init(password: String, roles: [String]) {
            self.password = password
            self.roles = roles
        }
    }
}
