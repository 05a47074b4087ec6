import Foundation
import Settee
import SetteeTestSupport
import Testing

/// The examples of docs/guide/querying.md compile and run: this file holds them all, line by line.
@Suite struct QueryingGuideTests {
    @Test func everyExampleOfTheGuideStandsHere() throws {
        try expectExamples(of: "docs/guide/querying.md", in: #filePath, fewest: 60)
    }

    /// Stands in for the standard one: tests do not print.
    private func print(_ items: Any...) {}

    private let folder: TemporaryFolder
    private let db: Database

    init() throws {
        folder = try TemporaryFolder()
        db = try Manager(directory: folder.url).database(named: "guide")
    }

    private func put(_ documents: [String: JSONObject]) throws {
        try db.inTransaction {
            for (id, properties) in documents.sorted(by: { $0.key < $1.key }) { try db[id].put(properties) }
        }
    }

    @Test func phoneBook() throws {
        try put([
            "p1": ["type": "person", "name": "Ida Lund", "numbers": ["030 5517", "0171 20"]],
            "p2": ["type": "person", "name": "Omar Sy", "numbers": ["030 5520", "0171 20"]],
            "p3": ["type": "person", "name": "Mute"],
            "s1": ["type": "shop", "name": "Bakery", "numbers": ["030 5518"]],
        ])
        let phones = db.view("phones")
        try phones.setMap(version: "1") { document, emit in
            guard document["type"] == "person" else { return }
            for number in document["numbers"]?.arrayValue ?? [] { emit(number, document["name"]) }
        }

        for row in try phones.query(keys: ["0171 20"]).run() {
            print(row.value ?? "nobody", row.documentID?.string ?? "none")
        }

        // Rows with one key come in the order of the documents' IDs.
        #expect(try phones.query(keys: ["0171 20"]).run().map(\.value) == ["Ida Lund", "Omar Sy"])
        #expect(try phones.query(keys: ["0171 20"]).run().map(\.documentID?.string) == ["p1", "p2"])
        #expect(try phones.query().run().count == 4)

        let isNew = try phones.setMap(version: "2", documentType: "person") { document, emit in
            for number in document["numbers"]?.arrayValue ?? [] { emit(number, document["name"]) }
        }
        #expect(isNew)
        let berlin = phones.query(startKey: "030", endKey: "030", prefixMatchLevel: 1)
        #expect(try berlin.run().map(\.key) == ["030 5517", "030 5520"])
    }

    @Test func keysAndValues() throws {
        try put([
            "a": ["name": "Ann", "born": 1971], "b": ["name": .null, "born": 1980], "c": ["born": 1960],
            "d": ["name": "Dan"],
        ])
        let people = db.view("people")
        try people.setMap(version: "1") { document, emit in
            emit(document["name"])  // nil: no row. JSON's null: a row, before all others
            emit([document["born"], document["name"]])  // in an array, nil becomes null
        }
        #expect(try people.query(endKey: "Z").run().map(\.key) == [.null, "Ann", "Dan"])
        #expect(
            try people.query(startKey: []).run().map(\.key) == [
                [.null, "Dan"], [1960, .null], [1971, "Ann"], [1980, .null],
            ]
        )
        #expect(try people.query().first()?.value == nil)
        #expect(try people.status()?.refusedRows == 1)
    }

    @Test func postsByDate() async throws {
        try put([
            "post-1": ["type": "post", "date": "2031-02-27", "title": "Frost"],
            "post-2": ["type": "post", "date": "2031-03-02", "title": "Thaw"],
            "post-3": ["type": "post", "date": "2031-03-20", "title": "Swallows"],
            "post-4": ["type": "post", "date": "2031-04-01", "title": "A hoax"],
            "note-1": ["type": "note", "date": "2031-03-03"],
        ])
        let posts = db.view("postsByDate")
        try posts.setMap(version: "1", documentType: "post") { document, emit in
            emit(document["date"], document)
        }
        let latest = posts.query(descending: true, limit: 2)
        for row in try latest.run() { print(row.key, row.value?["title"] ?? "untitled") }

        var march = posts.query(startKey: "2031-03", endKey: "2031-04")
        march.inclusiveEnd = false
        #expect(try march.run().map { $0.value?["title"] } == ["Thaw", "Swallows"])
        #expect(try latest.run().map(\.documentID?.string) == ["post-4", "post-3"])
        // A value that is the document is as the document is when the row is read.
        try db["post-4"].update { $0["title"] = "No hoax" }
        let older = posts.query(descending: true, limit: 1, update: .never)
        #expect(try older.first()?.value?["title"] == "No hoax")

        var listed: [String] = []
        try march.forEach { row in listed.append(row.documentID?.string ?? "") }
        for try await row in march.stream() { listed.append(row.documentID?.string ?? "") }
        let result = try await march.runAsync()
        #expect(listed == ["post-2", "post-3", "post-2", "post-3"])
        #expect(result.map(\.documentID?.string) == ["post-2", "post-3"])

        try db.read { _ in
            let count = try march.run().count
            let first = try march.first()
            print(count, first?.documentID?.string ?? "none")
        }

        let wasStale = try result.isStale()
        try db["post-3"].delete()
        let now = try march.run()
        let isStale = try result.isStale()
        if isStale, now != result { print("other rows") }
        #expect(!wasStale && isStale && now.count == 1)

        for try await result in latest.live() {
            print(result.map(\.key))
            if result.count == 2 { break }
        }

        let listener = latest.live().addListener { result in
            if case .success(let rows) = result { print(rows.count) }
        }
        let first = try listener.waitForRows()
        listener.remove()
        #expect(first?.map(\.documentID?.string) == ["post-4", "post-2"])
    }

    @Test func likes() throws {
        try put([
            "post": ["type": "post", "title": "Swallows"],
            "like-1": ["type": "like", "by": "ida", "on": "2031-03-21", "post": "post"],
            "like-2": ["type": "like", "by": "ida", "on": "2031-03-22", "post": "gone"],
        ])
        let likes = db.view("likes")
        try likes.setMap(version: "1", documentType: "like") { document, emit in
            emit([document["by"], document["on"]], ["_id": document["post"] ?? .null])
        }
        var liked = likes.query(startKey: ["ida"], endKey: ["ida", [:]])
        liked.includeDocs = true
        for row in try liked.run() {
            print(row.documentRevision?["title"] ?? "a post that is gone", row.sourceDocumentID?.string ?? "")
        }
        let rows = try liked.run()
        #expect(rows.map { $0.documentID?.string } == ["post", "gone"])
        #expect(rows.map { $0.sourceDocumentID?.string } == ["like-1", "like-2"])
        #expect(rows.map { $0.documentRevision?["title"] } == ["Swallows", nil])
    }

    @Test func carsByColour() throws {
        try put([
            "c1": ["colour": "red", "make": "Dyane", "year": 1971],
            "c2": ["colour": "red", "make": "Panda", "year": 1984],
            "c3": ["colour": "green", "make": "Mini", "year": 1966],
            "c4": ["colour": "red", "make": "Dyane", "year": 1969],
            "c5": ["colour": "redwood", "make": "Dolly", "year": 1976],
        ])
        let cars = db.view("carsByColour")
        try cars.setMap(version: "1") { document, emit in
            emit([document["colour"], document["make"]], document["year"])
        }
        let red = cars.query(startKey: ["red"], endKey: ["red", [:]])
        let reversed = cars.query(startKey: ["red", [:]], endKey: ["red"], descending: true)
        let alike = cars.query(startKey: ["red"], endKey: ["red"], prefixMatchLevel: 1)
        let redWithD = cars.query(startKey: ["red", "D"], endKey: ["red", "D"], prefixMatchLevel: 2)
        #expect(try red.run().map(\.documentID?.string) == ["c1", "c4", "c2"])
        #expect(try reversed.run().map(\.documentID?.string) == ["c2", "c4", "c1"])
        #expect(try alike.run() == red.run())
        #expect(try redWithD.run().map(\.documentID?.string) == ["c1", "c4"])

        var page = cars.query(startKey: ["red", "Dyane"], limit: 2)
        page.startKeyDocID = "c1"  // the last row that was shown
        page.inclusiveStart = false
        #expect(try page.run().map(\.documentID?.string) == ["c4", "c2"])

        var old = cars.query(limit: 10)
        old.postFilter = QueryFilter { row in (row.value?.intValue ?? 0) < 1970 }
        #expect(try old.run().map(\.documentID?.string) == ["c3", "c4"])

        let byYear = try cars.query(includeDocs: true).run().sorted(by: [
            .descending(.document, JSONPointer("/year")), .ascending(.documentID),
        ])
        #expect(try byYear.map { try $0.documentRevision?.properties["year"] } == [1984, 1976, 1971, 1969, 1966])

        struct Car: Decodable { var make: String, year: Int }
        let fleet = cars.query(includeDocs: true)
        for row in try fleet.run() {
            let key = try row.key(as: [String].self)
            if let car = try row.document(as: Car.self) { print(key[0], car.make, car.year) }
        }
        #expect(try fleet.run().map { try $0.document(as: Car.self)?.year } == [1966, 1971, 1969, 1984, 1976])

        #expect(try cars.query(groupLevel: 1).run().map { $0.key(at: 0) } == ["green", "red", "redwood"])
    }

    @Test func musicLibrary() throws {
        for (number, track) in ["Dusk", "Ember", "Frost", "Gale"].enumerated() {
            let album = number < 3 ? "Weather" : "Wind"
            try db["t\(number)"].put([
                "type": "track", "artist": "The Lemurs", "album": .string(album), "title": .string(track),
                "seconds": JSONValue(100 + number),
            ])
        }
        try db["t9"].put(["type": "track", "artist": "Zither Duo", "album": "Air", "title": "One", "seconds": 50])
        let music = db.view("music")
        try music.setMap(version: "1", documentType: "track", reduce: .sum) { document, emit in
            emit([document["artist"], document["album"], document["title"]], document["seconds"])
        }
        let total = try music.query().first()?.value

        let albums = music.query(startKey: ["The Lemurs"], endKey: ["The Lemurs", [:]], groupLevel: 2)
        for row in try albums.run() { print(row.key(at: 1) ?? "", row.value ?? 0) }

        var tracks = music.query(startKey: ["The Lemurs", "Wind"], endKey: ["The Lemurs", "Wind", [:]])
        tracks.mapOnly = true
        #expect(total == 456)
        #expect(try albums.run().map(\.key) == [["The Lemurs", "Weather"], ["The Lemurs", "Wind"]])
        #expect(try albums.run().map(\.value) == [303, 103])
        #expect(try music.query(groupLevel: 1).run().map { $0.key(at: 0) } == ["The Lemurs", "Zither Duo"])
        #expect(try tracks.run().map(\.documentID?.string) == ["t3"])

        let longest = Reduce(version: "1") { input in
            input.values.max { ($0.intValue ?? 0) < ($1.intValue ?? 0) } ?? .null
        }
        try db.view("longest").setMap(version: "1", reduce: longest) { document, emit in
            emit(document["artist"], document["seconds"])
        }
        var byArtist = db.view("longest").query()
        byArtist.group = true
        #expect(try byArtist.run().map(\.value) == [103, 50])
    }

    @Test func allDocuments() throws {
        try put(["a": ["n": 1], "b": ["n": 2], "c": ["n": 3]])
        try db["b"].delete()
        var query = db.allDocumentsQuery(startKey: "b")
        query.inclusiveEnd = false
        for row in try query.run() { print(row.documentID?.string ?? "none", row.value?["rev"] ?? "") }
        for row in try db.allDocumentsQuery(.onlyConflicts).run() {
            print(row.documentID?.string ?? "none", try row.conflictingRevisions().map(\.id))
        }
        #expect(try query.run().map(\.key) == ["c"])
        #expect(try db.allDocumentsQuery(.includeDeleted).run().map(\.key) == ["a", "b", "c"])
        #expect(try db.allDocumentsQuery(.onlyConflicts).run().isEmpty)
        #expect(try db.allDocumentsQuery(.bySequence).run().map(\.documentID?.string) == ["a", "c"])
    }

    @Test func definitions() throws {
        try put([
            "b1": ["type": "book", "author": "Sayers", "title": "Gaudy Night", "year": 1935],
            "b2": ["type": "book", "author": "Tey", "title": "The Daughter of Time", "year": 1951],
            "r1": ["type": "review", "author": "Tey", "year": 1953],
        ])
        let definition = ViewDefinition(
            keys: [JSONPointer(names: ["author"])],
            value: JSONPointer(names: ["title"]),
            conditions: try ViewDefinition.conditions(parsing: #"/type == "book" and /year >= 1950"#)
        )
        try db.view("byAuthor").define(definition)
        #expect(try db.view("byAuthor").query().run().map(\.value) == ["The Daughter of Time"])

        let status = try db.view("byAuthor").status()
        if let status { print(status.rowCount, status.isStale, status.refusedRows) }
        try db.updateIndexes(of: ["byAuthor"])
        try db.view("byAuthor").deleteIndex()
        try db.view("byAuthor").delete()
        #expect(status?.rowCount == 1)
        #expect(try db.viewNames().isEmpty)
    }
}
