/// How a user has logged in. The names are those of CouchDB's `_session`.
package enum LoginMethod: String, Sendable {
    /// A name and a password in the Authorization header.
    case basic = "default"
    case cookie
    case token = "jwt"
    case certificate
}
