internal import SetteeCouchProtocol

/// Judging again a client whose answer takes long.
extension AccessPolicy {
    /// Judges a client that has access by what the users say now. A closure of the app's and a client certificate are
    /// asked at the beginning only. A cookie is not asked for its age: the answer is its use. Blocks.
    ///
    /// - Returns: The access with the user's present roles.
    /// - Throws: `unauthorized` (401) if the user is gone, has another password, or if the login has ended by itself;
    ///   `internal_server_error` (500) if the users' file cannot be used.
    func review(_ access: Access) throws(CouchError) -> Access {
        guard isOver(access) == false else { throw .unauthorized("The login has ended. Log in again.") }
        guard let proof = access.proof, let name = access.user.name else { return access }
        guard let facts = try passwords.cookieFacts(of: name), facts.salt == proof else {
            throw .unauthorized("The user has changed. Log in again.")
        }
        return Access(
            user: UserContext(name: name, roles: facts.roles ?? access.user.roles),
            method: access.method,
            headers: access.headers,
            isReadOnly: access.isReadOnly,
            proof: proof,
            end: access.end
        )
    }

    /// Whether a login has ended by itself.
    func isOver(_ access: Access) -> Bool { access.end.map { $0 <= clock.wall() } ?? false }
}
