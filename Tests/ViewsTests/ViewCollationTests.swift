import Settee
import SetteeIndexes
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// The order of rows.
@Suite struct ViewCollationTests {
    /// The list in CouchDB's documentation. The members of an object stand in the order of their names here, in stored
    /// text and so in keys: `{"b":2,"a":1}`, which CouchDB has between `{"b":2}` and `{"b":2,"c":2}`, is
    /// `{"a":1,"b":2}`.
    private static let couch: [JSONValue] = [
        nil, false, true, 1, 2, 3.0, 4, "a", "A", "aa", "b", "B", "ba", "bb", ["a"], ["b"], ["b", "c"],
        ["b", "c", "a"],
        ["b", "d"], ["b", "d", "e"], ["a": 1], ["b": 2, "a": 1], ["a": 2], ["b": 1], ["b": 2], ["b": 2, "c": 2],
    ]

    private func expectOrder(
        _ type: StorageType,
        _ collation: ViewCollation,
        _ keys: [JSONValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase(type) { (bed) throws in
            // In an unrelated order, with IDs in the reverse one.
            var generator = SeededGenerator(seed: 1)
            for (number, key) in keys.enumerated().shuffled(using: &generator) {
                try bed.database[String(format(1000 - number))].put(["k": key])
            }
            try bed.view().setMap(version: "1", collation: collation) { document, emit in emit(document["k"]) }
            #expect(try bed.view().query().keyList() == keys, sourceLocation: sourceLocation)
            #expect(try bed.view().query(descending: true).keyList() == keys.reversed(), sourceLocation: sourceLocation)
            for (place, key) in keys.enumerated() {
                let from = try bed.view().query(startKey: key).keyList()
                #expect(from == Array(keys[place...]), sourceLocation: sourceLocation)
                let to = try bed.view().query(endKey: key).keyList()
                #expect(to == Array(keys[...place]), sourceLocation: sourceLocation)
            }
        }
    }

    private func format(_ number: Int) -> Substring { "0000\(number)".suffix(5) }

    @Test(arguments: Storage.all) func asCouchDBOrders(_ type: StorageType) throws {
        try expectOrder(type, .unicode, ViewCollationTests.couch)
    }

    @Test(arguments: Storage.all) func rawOrder(_ type: StorageType) throws {
        try expectOrder(
            type,
            .raw,
            [
                -1.5, 0, 1, 10, .uint(.max), 1e300, false, nil, true, [:], ["A": 9], ["a": 1], ["a": 1, "b": 2],
                ["a": 2],
                ["b": 0], [], [1], ["A"], ["a"], ["a", 1], "", "A", "B", "Z", "a", "aa", "b", "z", "é", "日",
                "\u{1F600}",
            ]
        )
    }

    @Test(arguments: Storage.all) func numbersAndStringsInUnicodeOrder(_ type: StorageType) throws {
        try expectOrder(
            type,
            .unicode,
            [
                -1e300, .int(.min), -2, -1.5, 0, .double(.leastNonzeroMagnitude), 0.1, 1, 9_007_199_254_740_992,
                9_007_199_254_740_993,
                .int(.max),
                .uint(.max), 1e20, "", " ", "_", "-", "!", "@", "^", "|", "~", "0", "10", "9", "a", "A", "á", "Á", "ab",
                "b", "e",
                "é", "f", "z", "Z", "日",
            ]
        )
    }

    /// The idioms that every CouchDB program knows.
    @Test(arguments: Storage.all) func rangesOfArrays(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let keys: [JSONValue] = [
                "a", ["a"], ["a", nil], ["a", 1], ["a", "z"], ["a", "z", 1], ["a", ["z"]], ["aa"], ["b"],
            ]
            try bed.database.put(keys.enumerated().map { (id: "\($0.offset)", body: ["k": $0.element]) })
            try bed.view().setMap(version: "1") { document, emit in emit(document["k"]) }
            #expect(try bed.view().query(startKey: ["a"], endKey: ["a", [:]]).keyList() == Array(keys[1...6]))
            #expect(
                try bed.view().query(startKey: ["a", [:]], endKey: ["a"], descending: true).keyList()
                    == keys[1...6].reversed()
            )
            #expect(try bed.view().query(startKey: "a", endKey: "a\u{FFF0}").keyList() == ["a"])
            #expect(
                try bed.view().query(startKey: ["a"], endKey: ["a"], prefixMatchLevel: 1).keyList()
                    == Array(keys[1...6])
            )
        }
    }

    /// Keys that are equal in the order are sorted by document ID.
    @Test(arguments: Storage.all) func equalKeys(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let keys: [JSONValue] = ["é", "e\u{301}", "é", "e\u{301}", "\u{1}é"]
            try bed.database.put(keys.enumerated().map { (id: "\($0.offset)", body: ["k": $0.element]) })
            func set(_ collation: ViewCollation) throws {
                try bed.view().setMap(version: "1", collation: collation) { document, emit in emit(document["k"]) }
            }
            try set(.unicode)
            #expect(try bed.view().query().keyList() == keys, "Each is given as it was emitted.")
            #expect(try bed.view().query(keys: ["e\u{301}"]).sources() == ["0", "1", "2", "3", "4"])
            #expect(
                try bed.view().query(startKey: "é", endKey: "é").with { $0.startKeyDocID = "3" }.sources() == [
                    "3", "4",
                ]
            )
            try set(.raw)
            #expect(try bed.view().query().sources() == ["4", "1", "3", "0", "2"])
            #expect(try bed.view().query(keys: ["e\u{301}"]).sources() == ["1", "3"])
        }
    }

    /// A program with another version of ICU has a separate index.
    @Test(arguments: Storage.all) func anotherCollationVersion(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            func set(_ version: String) throws {
                try bed.view().setMap(version: version) { document, emit in
                    counter.note(document)
                    emit(.string(document.id.string), .string(version))
                }
            }
            func use(_ suffix: String) {
                bed.database.sharedCompanion(CollationSuffix.self).text.withLock { $0 = suffix }
            }
            func indexes() throws -> [String] {
                try bed.engine().read { (transaction) throws(StorageError) in try transaction.indexNames() }
            }
            for id in ["a", "b"] { try bed.database[id].put([:]) }
            try set("1")
            #expect(try bed.view().query().sources() == ["a", "b"])
            #expect(counter.take() == ["a", "b"])
            let ours = try indexes()
            #expect(ours.count == 1)
            use("+other")
            #expect(try bed.view().query(update: .never).sources() == [], "Ours is of no use to it.")
            #expect(try bed.view().status()?.rowCount == 0)
            try bed.database.read { (_) throws in #expect(try bed.view().query().sources() == ["a", "b"]) }
            _ = counter.take()
            #expect(try bed.view().query().sources() == ["a", "b"])
            #expect(counter.take() == ["a", "b"])
            #expect(try Set(indexes()).isSuperset(of: ours) && indexes().count == 2)
            use("")
            #expect(try bed.view().query().sources() == ["a", "b"])
            #expect(counter.take() == [], "Ours was not dropped.")
            // Each is updated separately.
            try bed.database["a"].purge()
            try bed.database["c"].put([:])
            #expect(try bed.view().query().sources() == ["b", "c"])
            #expect(counter.take() == ["c"])
            try bed.database.compact()
            use("+other")
            #expect(try bed.view().query(update: .never).sources() == ["a", "b"])
            #expect(try bed.view().query().sources() == ["b", "c"])
            #expect(counter.take() == ["c"])
            // A new version replaces those of its own collation version only.
            try set("2")
            #expect(try bed.view().query().map(\.value) == ["2", "2"])
            #expect(try indexes().count == 2)
            use("")
            #expect(try bed.view().query(update: .never).map(\.value) == ["1", "1"])
            #expect(try bed.view().query().map(\.value) == ["2", "2"])
            #expect(try indexes().count == 2)
            try bed.view().deleteIndex()
            #expect(try indexes() == [])
        }
    }

    /// Raw order does not depend on ICU.
    @Test(arguments: Storage.all) func versionsNameWhatTheyDependOn(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let unicode = try bed.database.version(of: KeyOrder(.unicode))
            let raw = try bed.database.version(of: KeyOrder(.raw))
            #expect(unicode != raw)
            #expect(try unicode == Collator.unicode.version && raw == Collator.raw.version)
        }
    }
}

extension DatabaseQuery {
    fileprivate func map(_ part: (QueryRow) -> JSONValue?) throws -> [JSONValue?] { try run().map(part) }
}
