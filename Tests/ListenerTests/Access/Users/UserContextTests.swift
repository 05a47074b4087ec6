internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

@Suite struct UserContextTests {
    @Test func comparesBytes() {
        let composed = UserContext(name: "\u{e9}", roles: ["\u{e9}"])
        let decomposed = UserContext(name: "e\u{301}", roles: ["e\u{301}"])
        #expect(composed != decomposed && composed == composed)
        #expect(composed.has("\u{e9}") && !composed.has("e\u{301}"))
    }

    @Test func writesUserContexts() throws {
        let ida = UserContext(name: "ida", roles: ["writer", "sales"])
        #expect(ida.json == ["name": "ida", "roles": ["writer", "sales"]])
        #expect(UserContext.nobody.json == ["name": nil, "roles": []])
        #expect(UserContext.everybody.json == ["name": nil, "roles": ["_admin"]])
        // Clients look for CouchDB's name of the role.
        #expect(UserContext(name: "ada", roles: ["admin"]).json["roles"] == ["admin", "_admin"])
    }

    @Test func tablesTellNamesApartByBytes() {
        let table = UserTable(["\u{e9}": .init(password: "a", roles: ["reader"])])
        #expect(table.verify("\u{e9}", "a") == ["reader"])
        #expect(table.verify("e\u{301}", "a") == nil)
        #expect(table.roles(of: "e\u{301}") == nil)
    }

    /// A user whose password is empty by oversight cannot be logged in as.
    @Test func emptyPasswordsAreNone() async {
        let fixture = PolicyFixture(.table(["ida": .init(password: "", roles: ["admin"])]))
        #expect(await fixture.status(.basic("ida", "")) == 401)
        #expect(UserTable(["ida": .init(password: "", roles: ["admin"])]).verify("ida", "") == nil)
    }
}
