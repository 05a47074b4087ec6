package import HTTPTypes
package import SetteeCouchProtocol

/// Who a request is, and what its answer needs besides.
package struct Access: Sendable {
    package let user: UserContext
    /// How the user has logged in; nil without a login.
    package let method: LoginMethod?
    /// Headers for the answer, whatever its status is: a renewed cookie, and those of CORS. They go into the answer
    /// with `append`, so that a `Vary` of its own stays.
    package let headers: HTTPFields
    let isReadOnly: Bool
    /// What changes with the user's password; nil where there is none.
    var proof: [UInt8]?
    /// When the login ends by itself, in seconds since 1970; nil if it does not.
    var end: Int64?

    /// Checks a right in a database. Call it when the database has been opened and before anything is read; what
    /// `AccessPolicy.decide` checked before is not enough.
    ///
    /// - Throws: `forbidden` (403).
    package func require(_ right: AccessRight, in security: DatabaseSecurity) throws(CouchError) {
        try require(right)
        switch right {
        case .databaseRead, .localWrite, .databaseWrite:
            guard security.isMember(user) else { throw .forbidden("You are not allowed to access this db.") }
        case .databaseAdmin:
            guard security.isAdmin(user) else { throw .forbidden("You are not a db or server admin.") }
        case .open, .serverRead, .serverInspect, .serverAdmin:
            break
        }
    }

    /// Whether the user may write more than checkpoints, as far as roles and the listener decide.
    var mayWriteDocuments: Bool { !isReadOnly && AccessRight.databaseWrite.isGiven(to: user) }

    /// Checks what the user's roles and the listener allow.
    func require(_ right: AccessRight) throws(CouchError) {
        guard !isReadOnly || !right.changesData else { throw .forbidden("The listener is read-only.") }
        guard right.isGiven(to: user) else {
            switch right {
            case .serverInspect, .serverAdmin: throw .forbidden("You are not a server admin.")
            case .databaseWrite, .databaseAdmin: throw .forbidden("You are not allowed to write here.")
            case .open, .serverRead, .databaseRead, .localWrite:
                throw .forbidden("You have no role that may read here.")
            }
        }
    }
}
