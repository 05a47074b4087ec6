internal import SetteeCouchProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct RouteTests {
    private func route(_ path: String) throws -> Route { try Route(RequestTarget(path).segments) }

    @Test(
        "paths name what they name in CouchDB",
        arguments: [
            ("/", Route.server(.root)), ("/_all_dbs", .server(.allDatabases)), ("/db", .database("db")),
            ("/db/", .database("db")), ("/a%2Fb", .database("a/b")),
            ("/db/_all_docs", .databaseResource("db", .allDocuments)),
            ("/db/_all_docs/queries", .databaseResource("db", .allDocuments)),
            ("/db/_compact/views", .databaseResource("db", .compact)),
            ("/db/x", .document("db", id: "x")), ("/db/a%2Fb", .document("db", id: "a/b")),
            ("/db/x/a.txt", .attachment("db", id: "x", name: "a.txt")),
            ("/db/x/a/b.txt", .attachment("db", id: "x", name: "a/b.txt")),
            ("/db/x/a%2Fb.txt", .attachment("db", id: "x", name: "a/b.txt")),
            ("/db/_design/d", .document("db", id: "_design/d")), ("/db/_design%2Fd", .document("db", id: "_design/d")),
            ("/db/_design/d/a.txt", .attachment("db", id: "_design/d", name: "a.txt")),
            ("/db/_design%2Fd/a.txt", .attachment("db", id: "_design/d", name: "a.txt")),
            ("/db/_design/d/_view/v", .view("db", design: "d", view: "v")),
            ("/db/_design/d/_view/v/queries", .view("db", design: "d", view: "v")),
            ("/db/_design/d/_info", .designInfo("db", design: "d")),
            ("/db/_design/d/_show/s", .notImplemented("_show")),
            ("/db/_local/l", .document("db", id: "_local/l")), ("/db/_local%2Fl", .document("db", id: "_local/l")),
            ("/db/_find", .databaseResource("db", .find)), ("/_replicate", .server(.replicate)),
            ("/db/_search", .notImplemented("_search")), ("/db/_index", .databaseResource("db", .indexes)),
            ("/db/_index/_bulk_delete", .databaseResource("db", .removedIndexes)),
            ("/db/_index/_design/d/json/i", .index("db", design: "_design/d", type: "json", name: "i")),
            ("/db/_index/_design%2Fd/json/i", .index("db", design: "_design/d", type: "json", name: "i")),
            ("/db/_index/d/json/i%2Fj", .index("db", design: "_design/d", type: "json", name: "i/j")),
            ("/_node/_local/_prometheus", .server(.metrics)),
        ]
    )
    func paths(path: String, expected: Route) throws { #expect(try route(path) == expected) }

    @Test(
        "what names nothing is 404",
        arguments: [
            "/_users", "/_config", "/_db_updates", "/_node/x", "/_node/_local", "/_node/_local/_prometheus/x",
            "/_node%2F_local%2F_prometheus", "/_all_dbs/x", "/db/_nothing", "/db/_all_docs/x", "/db/_design",
            "/db/_local",
            "/db/_local/a/b", "/db/_changes/queries",
        ]
    )
    func nothing(path: String) { #expect(throws: CouchError.missing) { try route(path) } }
}
