internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

@Suite struct DatabaseSecurityTests {
    private func read(_ json: String) throws(CouchError) -> DatabaseSecurity {
        try DatabaseSecurity(parsing: Array(json.utf8))
    }

    @Test(
        arguments: [
            "{}", #"{"admins":{},"members":{}}"#,
            #"{"admins":{"names":[],"roles":[]},"members":{"names":[],"roles":[]}}"#,
            #"{"cloudant":{"nobody":["_reader"]},"couchdb_auth_only":true}"#,
        ]
    )
    func withoutNamesEverybodyIsAMember(json: String) throws {
        let security = try read(json)
        #expect(security.isMember(UserContext(name: "ida", roles: [])))
        #expect(!security.isAdmin(UserContext(name: "ida", roles: ["writer"])))
        #expect(security.isAdmin(UserContext(name: "ada", roles: ["_admin"])))
        #expect(security.isAdmin(.everybody) && security.isMember(.everybody))
        // What has no meaning here is kept.
        #expect(security.document == (try JSONValue(parsing: json)).objectValue)
    }

    @Test func namesAndRolesDecide() throws {
        let security = try read(
            #"{"admins":{"names":["ida"],"roles":["heads"]},"members":{"names":["rob","\u00e9"],"roles":["sales"]}}"#
        )
        for (name, roles, isAdmin, isMember) in [
            ("ida", [], true, true), ("x", ["heads"], true, true), ("rob", [], false, true),
            ("x", ["sales"], false, true),
            ("x", ["_admin"], true, true), ("x", ["admin"], true, true), ("x", [], false, false),
            ("sales", ["rob"], false, false), ("Rob", [], false, false), ("\u{e9}", [], false, true),
            ("e\u{301}", [], false, false), (nil, [], false, false),
        ] as [(String?, [String], Bool, Bool)] {
            let user = UserContext(name: name, roles: roles)
            #expect(security.isAdmin(user) == isAdmin && security.isMember(user) == isMember, "\(name ?? "") \(roles)")
        }
    }

    /// As CouchDB 3 writes it into new databases.
    @Test func adminsOnly() throws {
        let security = try read(#"{"members":{"roles":["_admin"]},"admins":{"roles":["_admin"]}}"#)
        #expect(!security.isMember(UserContext(name: "ida", roles: ["writer"])))
        #expect(security.isMember(UserContext(name: "ada", roles: ["admin"])))
    }

    @Test func readersAreMembers() throws {
        let security = try read(#"{"readers":{"names":["rob"]}}"#)
        #expect(security.isMember(UserContext(name: "rob", roles: [])))
        #expect(!security.isMember(UserContext(name: "ida", roles: [])))
    }

    @Test(
        arguments: [
            ("", "invalid UTF-8 JSON"), ("{", "invalid UTF-8 JSON"), ("[]", "Request body must be a JSON object"),
            ("null", "Request body must be a JSON object"), ("\"a\"", "Request body must be a JSON object"),
            (#"{"admins":[]}"#, "admins or members must be a JSON list of strings"),
            (#"{"members":null}"#, "admins or members must be a JSON list of strings"),
            (#"{"members":"ida"}"#, "admins or members must be a JSON list of strings"),
            (#"{"admins":{"names":"ida"}}"#, "names must be a JSON list of strings"),
            (#"{"admins":{"names":{}}}"#, "names must be a JSON list of strings"),
            (#"{"admins":{"names":["ida",1]}}"#, "names must be a JSON list of strings"),
            (#"{"members":{"roles":null}}"#, "roles must be a JSON list of strings"),
            (#"{"members":{"roles":[["a"]]}}"#, "roles must be a JSON list of strings"),
            (#"{"readers":{"roles":[null]}}"#, "roles must be a JSON list of strings"),
        ]
    )
    func refusesOtherShapes(json: String, reason: String) {
        #expect(throws: CouchError.badRequest(reason)) { try read(json) }
    }

    @Test func isBounded() throws {
        let names = { (count: Int) in
            #"{"members":{"names":[\#((0..<count).map { "\"u\($0)\"" }.joined(separator: ","))]}}"#
        }
        #expect(try read(names(10_000)).isMember(UserContext(name: "u9999", roles: [])))
        #expect(throws: CouchError.tooLarge) { try read(names(10_001)) }
        #expect(throws: CouchError.invalidJSON) { try read(String(repeating: "[", count: 1_000_000)) }
    }
}
