import Settee
import SetteeTestSupport
import Testing

/// All documents: ranges, keys, order.
@Suite struct ListingTests {
    private static let ids = ["a", "a\u{0301}", "ab", "b", "b/1", "c", "á", "é", "ｶ", "😀", "\u{FFFD}x"]

    private func fill(_ database: Database) throws {
        try database.inTransaction {
            for id in ListingTests.ids.shuffled() { try database[id].put(["id": .string(id)]) }
        }
        for id in ["deleted", "b-deleted"] {
            try database[id].put([:])
            try database[id].delete()
        }
        try database["_local/never listed"].put([:])
    }

    private func sorted(_ ids: [String]) -> [[UInt8]] {
        ids.map(bytes).sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test(arguments: Storage.all) func idsAreOrderedByTheirBytes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let database = bed.database
            #expect(try database.allDocuments().ids().map(bytes) == sorted(ListingTests.ids))
            let backwards = try database.allDocuments(.init(descending: true)).ids().map(bytes)
            #expect(backwards == sorted(ListingTests.ids).reversed())
            let all = ListingTests.ids + ["deleted", "b-deleted"]
            #expect(try database.allDocuments(.init(includeDeleted: true)).ids().map(bytes) == sorted(all))
            let deleted = try database.allDocuments(.init(includeDeleted: true)).rows().filter(\.isDeleted)
            #expect(deleted.map(\.documentID.string) == ["b-deleted", "deleted"])
        }
    }

    /// Every combination of range, direction, skip and limit against a plain list.
    @Test(arguments: Storage.all) func rangesAreWhatAPlainListGives(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let all = sorted(ListingTests.ids + ["deleted", "b-deleted"])
            let dead = [bytes("deleted"), bytes("b-deleted")]
            let bounds: [String?] = [nil, "", "a", "a\u{0301}", "aa", "b", "b/", "é", "😀", "\u{10FFFF}"]
            try bed.database.read { (snapshot) throws in
                for (index, start) in bounds.enumerated() {
                    for end in bounds {
                        for flags in 0..<16 {
                            let query = DocumentQuery(
                                startKey: start,
                                endKey: end,
                                inclusiveStart: flags & 1 == 0,
                                inclusiveEnd: flags & 2 == 0,
                                limit: index % 3 == 0 ? nil : index,
                                skip: index % 4,
                                descending: flags & 4 != 0,
                                includeDeleted: flags & 8 != 0
                            )
                            let expected = plain(all, dead, query)
                            let found = try bed.database.allDocuments(query).ids().map(bytes)
                            #expect(found == expected, "\(query)")
                            var scanned: [[UInt8]] = []
                            try snapshot.forEachDocument(query) { (record) throws(StorageError) in
                                scanned.append(bytes(try record.documentID().string))
                                return true
                            }
                            #expect(scanned == expected, "\(query)")
                        }
                    }
                }
            }
        }
    }

    private func plain(_ ids: [[UInt8]], _ dead: [[UInt8]], _ query: DocumentQuery) -> [[UInt8]] {
        func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.lexicographicallyPrecedes(b) }
        let ordered = query.descending ? ids.reversed() : ids
        let found = ordered.filter { id in
            if !query.includeDeleted, dead.contains(id) { return false }
            if let start = query.startKey.map(bytes) {
                if query.descending ? precedes(start, id) : precedes(id, start) { return false }
                if id == start, !query.inclusiveStart { return false }
            }
            if let end = query.endKey.map(bytes) {
                if query.descending ? precedes(id, end) : precedes(end, id) { return false }
                if id == end, !query.inclusiveEnd { return false }
            }
            return true
        }
        return Array(found.dropFirst(query.skip).prefix(query.limit ?? Int.max))
    }

    @Test(arguments: Storage.all) func keysSelectDocuments(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let database = bed.database
            let keys = ["é", "b", "missing", "a", "", "_x", "deleted", "b", "e\u{0301}", "_local/never listed"]
            #expect(try database.allDocuments(.init(keys: keys)).ids().map(bytes) == sorted(["a", "b", "é"]))
            #expect(try database.allDocuments(.init(keys: keys, limit: 1, skip: 1)).ids() == ["b"])
            #expect(try database.allDocuments(.init(keys: keys, descending: true)).ids().map(bytes).first == bytes("é"))
            let withDeleted = try database.allDocuments(.init(keys: keys, includeDeleted: true)).ids()
            #expect(withDeleted == ["a", "b", "deleted", "é"])
            #expect(try database.allDocuments(.init(keys: [])).ids() == [])
            let rows = try database.allDocuments(.init(keys: ["a"], includeBodies: true)).rows()
            #expect(rows.map(\.text) == [#"{"id":"a"}"#])
        }
    }

    @Test(arguments: Storage.all) func rowsCarryWhatWasAskedFor(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let saved = try bed.database["x"].put(["n": 1])
            let bare = try #require(try bed.database.allDocuments().rows().first)
            #expect(bare.json == nil)
            #expect(bare.revision == nil)
            #expect(bare.revisionID == saved.id)
            #expect(bare.sequence == 1)
            let full = try #require(try bed.database.allDocuments(.init(includeBodies: true)).rows().first)
            #expect(full.text == #"{"n":1}"#)
            #expect(try full.revision?.properties == ["n": 1])
            #expect(full.revision?.id == saved.id)
        }
    }

    @Test(arguments: Storage.all) func negativeParametersAreRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            expectError(.badParameter) { try bed.database.allDocuments(.init(limit: -1)).rows() }
            expectError(.badParameter) { try bed.database.allDocuments(.init(skip: -1)).rows() }
            expectError(.badParameter) { try bed.database.changes(since: 0, limit: -1).rows() }
            try bed.database.read { (snapshot) throws in
                expectError(.badParameter) { try snapshot.forEachDocument(.init(limit: -1)) { _ in true } }
                expectError(.badParameter) { try snapshot.forEachDocument(.init(keys: [])) { _ in true } }
            }
            #expect(try bed.database.allDocuments(.init(limit: 0)).rows().isEmpty)
            #expect(try bed.database.changes(since: 0, limit: 0).rows().isEmpty)
        }
    }

    @Test(arguments: Storage.all) func aListingMayWriteWhileItGoes(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction { for number in 0..<1000 { try database["d\(number)"].put([:]) } }
            for descending in [false, true] {
                var seen: Set<String> = []
                try database.allDocuments(.init(descending: descending)).forEach { row in
                    let id = row.documentID.string
                    #expect(seen.insert(id).inserted)
                    try database[id].update { $0["seen"] = .bool(descending) }
                    if seen.count % 100 == 0 { try database["new\(seen.count)"].purge() }
                }
                #expect(seen.count == 1000)
            }
            #expect(
                try database.allDocuments(.init(includeBodies: true)).rows().allSatisfy { $0.text == #"{"seen":true}"# }
            )
        }
    }

    @Test(arguments: Storage.all) func theClosureStopsTheListingByThrowing(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<10 { try bed.database["d\(number)"].put([:]) }
            var count = 0
            expectApplicationError {
                try bed.database.allDocuments().forEach { _ in
                    count += 1
                    if count == 3 { throw ApplicationError() }
                }
            }
            #expect(count == 3)
        }
    }

    @Test(arguments: Storage.all) func longIDsAndPrefixesAreOrdered(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let long = String(repeating: "k", count: 65_535)
            let ids = (0..<50).map { String(repeating: "k", count: $0 * 40 + 1) } + [long + "a", long + "b", long]
            try database.inTransaction {
                for id in ids.shuffled() { try database[id].put(["n": .int(Int64(id.utf8.count))]) }
            }
            try bed.reopen()
            let rows = try bed.database.allDocuments(.init(includeBodies: true)).rows()
            #expect(rows.map { bytes($0.documentID.string) } == sorted(ids))
            for row in rows { #expect(row.revision?["n"]?.intValue == Int64(row.documentID.string.utf8.count)) }
            #expect(try bed.database.allDocuments(.init(startKey: long, inclusiveStart: false)).rows().count == 2)
        }
    }
}
