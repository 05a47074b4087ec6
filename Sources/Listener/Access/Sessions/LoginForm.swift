internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// The name and the password in the body of a login.
struct LoginForm: Sendable {
    let name: String
    let password: String

    /// Reads JSON or a form, as the Content-Type says.
    ///
    /// - Throws: `bad_request` (400), `too_large` (413), `bad_content_type` (415).
    init(_ body: [UInt8], _ headers: HTTPFields) throws(CouchError) {
        guard body.count <= AccessPolicy.longestLoginBody else { throw .tooLarge }
        let members: (name: String?, password: String?)
        switch headers[.contentType].flatMap({ ContentTypes.kind($0) }) {
        case "application/json":
            guard let value = try? JSONValue(parsing: body) else { throw .invalidJSON }
            guard let object = value.objectValue else { throw .badRequest("Request body must be a JSON object") }
            // Couchbase Lite's clients and CouchDB's say `name`, some of CouchDB's `username`.
            members = ((object["name"] ?? object["username"])?.stringValue, object["password"]?.stringValue)
        case "application/x-www-form-urlencoded":
            let items = try RequestTarget.query(body[...], atMost: 16)
            let value = { (name: TargetText) in items.first { $0.name == name }?.value.string }
            members = (value("name") ?? value("username"), value("password"))
        default:
            throw .badContentType("Content-Type must be application/json or application/x-www-form-urlencoded")
        }
        guard let name = members.name, let password = members.password else {
            throw .badRequest("The body needs the members name and password, both strings.")
        }
        self.name = name
        self.password = password
    }
}
