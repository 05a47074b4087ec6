import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Queries that reduce and group.
@Suite struct ReduceQueryTests {
    /// Tracks by artist, album and name; the value is the length.
    private func withTracks(
        _ type: StorageType,
        reduce: Reduce? = .sum,
        _ body: (TestDatabase, DatabaseView) throws -> Void
    ) throws {
        try withDatabase(type) { (bed) throws in
            let tracks: [(String, String, String, Int)] = [
                ("Beatles", "Revolver", "Taxman", 159), ("Beatles", "Revolver", "Rain", 181),
                ("Beatles", "Help!", "Help!", 138), ("Cream", "Goodbye", "Badge", 165),
                ("Donovan", "Sunshine", "Season", 304),
            ]
            try bed.database.inTransaction {
                for (number, track) in tracks.enumerated() {
                    try bed.database["t\(number)"].put([
                        "artist": .string(track.0), "album": .string(track.1), "name": .string(track.2),
                        "seconds": JSONValue(track.3),
                    ])
                }
            }
            let view = bed.database.view("tracks")
            try view.setMap(version: "1", reduce: reduce) { document, emit in
                emit([document["artist"], document["album"], document["name"]], document["seconds"])
            }
            try body(bed, view)
        }
    }

    private func expectLines(
        _ query: DatabaseQuery,
        _ expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let lines = try query.run().map { "\($0.key) \($0.value.map(\.description) ?? "-")" }
        #expect(lines == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: Storage.all) func allRowsBecomeOne(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            let row = try #require(try view.query().first())
            #expect(row.value == 947 && row.key == .null && row.documentID == nil)
            #expect(try view.query().run().count == 1)
            #expect(try view.query(startKey: ["Z"]).run().isEmpty, "Of no rows there is none.")
            var mapOnly = view.query()
            mapOnly.mapOnly = true
            #expect(try mapOnly.run().count == 5)
        }
    }

    @Test(arguments: Storage.all) func groupsByLevel(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            try expectLines(
                view.query(groupLevel: 1),
                [#"["Beatles"] 478"#, #"["Cream"] 165"#, #"["Donovan"] 304"#]
            )
            try expectLines(
                view.query(endKey: ["C"], groupLevel: 2),
                [#"["Beatles","Help!"] 138"#, #"["Beatles","Revolver"] 340"#]
            )
            try expectLines(view.query(descending: true, limit: 1, skip: 1, groupLevel: 1), [#"["Cream"] 165"#])
            var exact = view.query()
            exact.group = true
            #expect(try exact.run().count == 5)
            #expect(try view.query(groupLevel: 9).run().count == 5)
        }
    }

    @Test(arguments: Storage.all) func changesAreSeen(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            #expect(try view.query().first()?.value == 947)
            try bed.database["t0"].update { $0["seconds"] = 1159 }
            #expect(try view.query().first()?.value == 1947)
            try bed.database["t4"].purge()
            try expectLines(view.query(groupLevel: 1), [#"["Beatles"] 1478"#, #"["Cream"] 165"#])
            #expect(try bed.database.check().map(\.description) == [])
        }
    }

    @Test(arguments: Storage.all) func withoutAFunctionGroupsHaveNoValue(_ type: StorageType) throws {
        try withTracks(type, reduce: nil) { bed, view in
            try expectLines(view.query(groupLevel: 1), [#"["Beatles"] -"#, #"["Cream"] -"#, #"["Donovan"] -"#])
            #expect(try view.query().run().count == 5)
            var reduced = view.query()
            reduced.reduce = true
            expectError(.badParameter) { _ = try reduced.run() }
        }
    }

    @Test(arguments: Storage.all) func keysAndPrefixesAreReducedToo(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            let keys: [JSONValue] = [["Beatles", "Revolver", "Rain"], ["Cream", "Goodbye", "Badge"], ["no"]]
            #expect(try view.query(keys: keys).run().map(\.value) == [346])
            try expectLines(view.query(keys: keys, groupLevel: 1), [#"["Beatles"] 181"#, #"["Cream"] 165"#])
            let beatles = view.query(startKey: ["Beatles"], endKey: ["Beatles"], prefixMatchLevel: 1)
            #expect(try beatles.run().map(\.value) == [478])
        }
    }

    /// A range that the function cannot reduce does not affect queries of another range.
    @Test(arguments: Storage.all) func anErrorEndsThoseQueriesAlone(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            try bed.database["bad"].put(["artist": "Zappa", "seconds": "long"])
            expectError(.badRequest) { _ = try view.query().run() }
            #expect(try view.query(endKey: ["Y"]).first()?.value == 947)
            expectError(.badRequest) { _ = try view.query(startKey: ["Y"]).run() }
        }
    }

    @Test(arguments: Storage.all) func aFunctionOfOnesOwn(_ type: StorageType) throws {
        let longest = Reduce(version: "1") { input in
            .int(input.values.compactMap(\.intValue).max() ?? 0)
        }
        try withTracks(type, reduce: longest) { bed, view in
            #expect(try view.query().first()?.value == 304)
            try bed.database.inTransaction {
                for number in 0..<3000 {
                    try bed.database["m\(number)"].put(["artist": "Many", "seconds": JSONValue(number)])
                }
            }
            #expect(try view.query().first()?.value == 2999)
            #expect(try view.query(endKey: ["L"]).first()?.value == 304)
            #expect(try bed.database.check().map(\.description) == [])
        }
    }

    /// A new version of the reduce function is enough: the rows stay, and the old function's partial results are not
    /// used.
    @Test(arguments: Storage.all) func anotherFunctionOverTheSameRows(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            #expect(try view.query().first()?.value == 947)
            let isNew = try view.setMap(version: "1", reduce: .count) { document, emit in
                emit([document["artist"], document["album"], document["name"]], document["seconds"])
            }
            #expect(!isNew)
            #expect(try view.query().first()?.value == 5)
            #expect(try bed.database.check().map(\.description) == [])
        }
    }

    @Test(arguments: Storage.all) func snapshotsReduceWhatTheyShow(_ type: StorageType) throws {
        try withTracks(type) { bed, view in
            #expect(try view.query().first()?.value == 947)
            try bed.database["t5"].put(["artist": "Elton", "seconds": 1])
            try bed.database.read { (_: Snapshot) throws in
                let sum = try view.query().first()?.value
                #expect(sum == 948)
                let groups = try view.query(groupLevel: 1).run().count
                #expect(groups == 4)
            }
        }
    }

    @Test(arguments: Storage.all) func callingTheDatabaseFromAFunctionIsAnError(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put([:])
            let view = database.view("calling")
            let reduce = Reduce(version: "1") { _ in JSONValue(try database.documentCount) }
            try view.setMap(version: "1", reduce: reduce) { document, emit in emit(1) }
            expectError(.callback) { _ = try view.query().run() }
        }
    }

    /// Partial results of another function are not used for this one: its own are stored with its first query, though
    /// no row has changed.
    @Test(arguments: Storage.all) func partsOfEachFunctionAreStored(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let count = 3000
            let seen = Locked(0)
            let view = bed.database.view("parts")
            func set(_ version: String) throws {
                let reduce = Reduce(version: version) { input in
                    seen.withLock { $0 += input.keys.count }
                    if !input.isRereduce { return JSONValue(input.keys.count) }
                    return .int(input.values.reduce(0) { $0 + ($1.intValue ?? 0) })
                }
                try view.setMap(version: "1", reduce: reduce) { document, emit in emit(document["n"]) }
            }
            try bed.database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            let changes: [(String, () throws -> Void)] = [
                ("the first one", { try set("1") }), ("another one", { try set("2") }),
                ("the first one again", { try set("1") }),
                (
                    "the same after another that was not asked",
                    {
                        try set("2")
                        try set("1")
                    }
                ),
            ]
            for (name, change) in changes {
                try change()
                #expect(try view.query().first()?.value == JSONValue(count), "\(name)")
                seen.withLock { $0 = 0 }
                #expect(try view.query().first()?.value == JSONValue(count), "\(name)")
                #expect(seen.withLock { $0 } < count / 4, "\(name)")
            }
        }
    }
}
