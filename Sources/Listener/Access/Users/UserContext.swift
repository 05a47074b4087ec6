package import SetteeCouchProtocol
package import SetteeDocumentValues

/// Who a request is, and in which roles.
///
/// The roles `reader`, `writer` and `admin` decide what is allowed on the whole listener; other roles are names for the
/// `_security` objects of databases. `_admin` means the same as `admin`. Names and roles are compared by their bytes.
public struct UserContext: Sendable, Equatable {
    /// The name; nil if nobody has logged in.
    public var name: String?
    /// The roles, in the order in which they were given.
    public var roles: [String]

    public init(name: String?, roles: [String]) {
        self.name = name
        self.roles = roles
    }

    /// Nobody has logged in, and the listener has users.
    package static let nobody = UserContext(name: nil, roles: [])
    /// Everybody, where the listener has no users.
    package static let everybody = UserContext(name: nil, roles: ["_admin"])

    /// Whether the user has the role.
    package func has(_ role: TargetText) -> Bool { roles.contains { TargetText($0) == role } }

    /// Whether the user may do everything.
    package var isAdmin: Bool { has("admin") || has("_admin") }
    /// Whether the user may write documents.
    package var isWriter: Bool { isAdmin || has("writer") }
    /// Whether the user may read.
    package var isReader: Bool { isWriter || has("reader") }

    /// The value of `userCtx` in answers. Clients look for `_admin`, so that administrators have it there.
    package var json: JSONObject {
        let shown = isAdmin && !has("_admin") ? roles + ["_admin"] : roles
        return ["name": name, "roles": .array(shown.map { .string($0) })]
    }

    public static func == (a: UserContext, b: UserContext) -> Bool {
        a.name.map { TargetText($0) } == b.name.map { TargetText($0) }
            && a.roles.map { TargetText($0) } == b.roles.map { TargetText($0) }
    }
}
