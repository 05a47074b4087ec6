package import SetteeCouchProtocol
package import SetteeDocumentValues

/// The `_security` object of a database: who administers it, and who its members are.
///
/// `{"admins":{"names":["ida"],"roles":[]},"members":{"names":[],"roles":["sales"]}}`. Without names and roles of
/// members every user of the listener is one. Administrators of the listener are always both, and `_admin` as a role
/// means them.
package struct DatabaseSecurity: Sendable {
    /// Names and roles.
    package struct Group: Sendable {
        var names: Set<TargetText> = []
        var roles: Set<TargetText> = []

        func has(_ user: UserContext) -> Bool {
            user.name.map { names.contains(TargetText($0)) } ?? false
                || user.roles.contains { roles.contains(TargetText($0)) }
        }
    }

    /// The names and roles that all lists may have together.
    static let longest = 10_000

    package let admins: Group
    package let members: Group
    /// The object as it was given, with members that have no meaning here.
    package let document: JSONObject

    /// That of a database to which nobody gave one.
    package static let open = DatabaseSecurity(admins: Group(), members: Group(), document: [:])

    private init(admins: Group, members: Group, document: JSONObject) {
        self.admins = admins
        self.members = members
        self.document = document
    }

    /// Reads the body of a PUT, or what is stored.
    ///
    /// - Throws: `bad_request` (400) for other shapes; `too_large` (413) for more than 10,000 names and roles.
    /// - Complexity: O(bytes).
    package init(parsing json: [UInt8]) throws(CouchError) {
        guard let value = try? JSONValue(parsing: json) else { throw .invalidJSON }
        guard let document = value.objectValue else { throw .badRequest("Request body must be a JSON object") }
        // `readers` is the name that members had before CouchDB 1.2.
        let members = try DatabaseSecurity.group(document["members"] ?? document["readers"])
        let admins = try DatabaseSecurity.group(document["admins"])
        let count = members.names.count + members.roles.count + admins.names.count + admins.roles.count
        guard count <= DatabaseSecurity.longest else { throw .tooLarge }
        self.init(admins: admins, members: members, document: document)
    }

    private static func group(_ value: JSONValue?) throws(CouchError) -> Group {
        guard let value else { return Group() }
        guard let members = value.objectValue else {
            throw .badRequest("admins or members must be a JSON list of strings")
        }
        return Group(names: try strings(members, "names"), roles: try strings(members, "roles"))
    }

    private static func strings(_ members: JSONObject, _ name: String) throws(CouchError) -> Set<TargetText> {
        guard let value = members[name] else { return [] }
        guard let values = value.arrayValue else { throw .badRequest("\(name) must be a JSON list of strings") }
        let strings = values.compactMap(\.stringValue)
        guard strings.count == values.count else { throw .badRequest("\(name) must be a JSON list of strings") }
        return Set(strings.map { TargetText($0) })
    }

    /// Whether the user administers the database.
    package func isAdmin(_ user: UserContext) -> Bool { user.isAdmin || admins.has(user) }

    /// Whether the user may see the database.
    package func isMember(_ user: UserContext) -> Bool {
        isAdmin(user) || (members.names.isEmpty && members.roles.isEmpty) || members.has(user)
    }
}
