internal import SetteeDocumentValues

/// What a session cookie says.
struct SessionTicket: Sendable, Equatable {
    /// How long a cookie is good for, in seconds.
    static let lifetime: Int64 = 600
    /// The age in seconds from which a cookie is replaced by a new one.
    static let renewal: Int64 = 300
    /// How long after the login cookies are renewed, in seconds.
    static let longestSession: Int64 = 86_400

    var user: UserContext
    /// The login, in seconds since 1970.
    var began: Int64
    /// When this cookie was made, in seconds since 1970.
    var issued: Int64

    init(user: UserContext, began: Int64, issued: Int64) {
        self.user = user
        self.began = began
        self.issued = issued
    }

    init?(json: [UInt8]) {
        guard let members = (try? JSONValue(parsing: json))?.objectValue, let name = members["name"]?.stringValue,
            let roles = members["roles"]?.arrayValue, let began = members["began"]?.intValue,
            let issued = members["issued"]?.intValue, began >= 0, issued >= began
        else { return nil }
        self.init(
            user: UserContext(name: name, roles: roles.compactMap(\.stringValue)),
            began: began,
            issued: issued
        )
    }

    var json: [UInt8] {
        let members: JSONObject = [
            "name": user.name, "roles": .array(user.roles.map { .string($0) }), "began": JSONValue(began),
            "issued": JSONValue(issued),
        ]
        return Array(members.description.utf8)
    }

    /// Whether it is good at a time. A clock that was set back a little is allowed for.
    func isGood(at now: Int64) -> Bool { now > issued - 60 && now < issued + SessionTicket.lifetime }

    /// Whether it is time for a new cookie, and not for a new login.
    func isToBeRenewed(at now: Int64) -> Bool {
        now >= issued + SessionTicket.renewal && now < began + SessionTicket.longestSession
    }
}
