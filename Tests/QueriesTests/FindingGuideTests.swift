import Settee
import SetteeTestSupport
import Testing

/// The examples of docs/guide/finding.md compile and run: this file holds them all, line by line.
@Suite struct FindingGuideTests {
    @Test func everyExampleOfTheGuideStandsHere() throws {
        try expectExamples(of: "docs/guide/finding.md", in: #filePath, fewest: 40)
    }

    /// Stands in for the standard one: tests do not print.
    private func print(_ items: Any...) {}

    private let folder: TemporaryFolder
    private let db: Database

    init() throws {
        folder = try TemporaryFolder()
        db = try Manager(directory: folder.url).database(named: "guide")
        let documents: [String: JSONObject] = [
            "i1": ["type": "invoice", "total": 250, "customer": ["city": "Lyon"], "due": "2031-02-01"],
            "i2": ["type": "invoice", "total": 80, "customer": ["city": "Paris"], "paid": "2031-01-04"],
            "i3": ["type": "invoice", "total": 120, "customer": ["city": "Lyon"], "tags": ["draft", "new"]],
            "i4": ["type": "invoice", "customer": ["city": "Lyon"], "tags": ["new"], "due": "2031-03-01"],
            "n1": ["type": "note", "total": 500],
        ]
        try db.inTransaction { for (id, body) in documents { try db[id].put(body) } }
    }

    private func ids(_ rows: [FindRow]) -> [String] { rows.map(\.documentID.string) }

    @Test func questions() throws {
        let invoices = try db.find(["type": "invoice", "total": ["$gte": 100]], sort: [.descending("total")])
        for row in try invoices.run() {
            print(row.documentID, row["total"] ?? .null)
        }
        #expect(try ids(invoices.run()) == ["i1", "i3"])

        let least = 100
        let large = try db.find(field("type") == "invoice" && field("total") >= least, sort: [.descending("total")])
        #expect(try large.run() == invoices.run())

        let city = "Lyon"
        let isFinal = field("tags").isMissing || !field("tags").contains("draft")
        let open = try db.find(field("customer.city") == city && field("paid").isMissing && isFinal)
        print(try open.count())
        #expect(try ids(open.run()).sorted() == ["i1", "i4"])
    }

    @Test func rows() async throws {
        let large = try db.find(field("type") == "invoice" && field("total") >= 100, sort: [.descending("total")])
        var query = try db.find(["type": "invoice"], fields: ["_id", "customer.city", "total"])
        query.sort = [.ascending("customer.city"), .descending("total")]
        query.limit = 20
        for row in try query.run() {
            try print(row.properties, row.revision.id)
        }
        #expect(try ids(query.run()) == ["i1", "i3", "i4", "i2"])
        #expect(try query.first()?.properties == ["_id": "i1", "customer": ["city": "Lyon"], "total": 250])

        struct Invoice: Codable { var _id: String, total: Double? }
        let values = try db.find(["type": "invoice"], sort: [.ascending("_id")]).values(of: Invoice.self)
        if let row = try large.first() {
            let invoice = try row.value(as: Invoice.self)
            try row.document.update { $0["seen"] = true }
            print(invoice.total ?? 0)
        }
        #expect(values.map(\._id) == ["i1", "i2", "i3", "i4"])
        #expect(values.map(\.total) == [250, 80, 120, nil])
        #expect(try db["i1"].read()["seen"] == true)

        var listed: [DocumentID] = []
        let rows = try large.run()
        let first = try large.first()
        let count = try large.count()
        try large.forEach { row in listed.append(row.documentID) }
        for try await row in large.stream() { listed.append(row.documentID) }
        let found = try await large.runAsync()
        #expect(rows == found && first == rows.first && count == 2 && listed == ["i1", "i3", "i1", "i3"])

        try db.inTransaction {
            try db["i7"].put(["type": "invoice", "total": 700])
            print(try large.first()?.documentID ?? "none")  // i7
            #expect(try large.first()?.documentID == "i7")
        }

        let page = try db.find(["type": "invoice"], sort: [.ascending("_id")], limit: 2).run()
        if let last = page.last {
            let behind = field("type") == "invoice" && field("_id") > last.documentID
            let next = try db.find(behind, sort: [.ascending("_id")], limit: 2)
            print(try next.count())
            #expect(try ids(next.run()) == ["i3", "i4"])
        }
    }

    @Test func live() async throws {
        let largest = try db.find(["type": "invoice"], sort: [.descending("total")], limit: 10)
        for try await rows in largest.live() {
            print(rows.map(\.documentID))
            if rows.count < 10 { break }
        }
        let listener = largest.live().addListener { result in
            if case .success(let rows) = result { print(rows.count) }
        }
        let now = try listener.waitForRows()
        listener.remove()
        #expect(try now == largest.run())
    }

    @Test func indexes() throws {
        try db.inTransaction {
            for number in 0..<500 { try db["x\(number)"].put(["type": "other"]) }
        }
        try db.createIndex("byTotal", on: [.ascending("type"), .descending("total")])
        try db.createIndex("open", on: [.ascending("due")], where: ["paid": ["$exists": false]])
        let large = try db.find(field("type") == "invoice" && field("total") >= 100, sort: [.descending("total")])

        let explanation = try large.explain()
        print(explanation)
        print(explanation.indexes, explanation.isFullScan, explanation.isSorted)
        #expect(
            explanation.description == """
                index: 'byTotal' on type, -total
                ranges: 1, bounded by type, total
                then checked: {"$and":[{"type":{"$eq":"invoice"}},{"total":{"$gte":100}}]}
                order: as it is read
                not 'open': the query does not imply its condition
                """
        )
        let due = try db.find(field("paid").isMissing && field("due") < "2031-02-15")
        #expect(try due.explain().indexes == ["open"])
        #expect(try ids(due.run()) == ["i1"])

        for index in try db.indexes() { print(index.name, index.definition.fields, index.rowCount, index.isStale) }
        try db.updateIndex(named: "byTotal")
        try db.removeIndex("open")
        #expect(try db.indexes().map(\.rowCount) == [505])
    }
}
