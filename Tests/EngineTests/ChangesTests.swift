import Settee
import SetteeTestSupport
import Testing

/// Changes since a sequence: each document once, under its highest sequence.
@Suite struct ChangesTests {
    @Test(arguments: Storage.all) func eachDocumentComesOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let a = try database["a"].put(["n": 1])
            try database["b"].put([:])
            try database["c"].put([:])
            try database["a"].put(["n": 2], parent: a.id)
            try database["b"].delete()
            try database["c"].purge()
            try database["d"].put([:])
            let rows = try database.changes(since: 0).rows()
            #expect(rows.map(\.documentID.string) == ["a", "b", "d"])
            #expect(rows.map(\.sequence) == [4, 5, 7])
            #expect(rows.map(\.isDeleted) == [false, true, false])
            #expect(rows.map(\.revisionID.generation) == [2, 2, 1])
            #expect(try database.changes(since: 4).ids() == ["b", "d"])
            #expect(try database.changes(since: 7).ids() == [])
            #expect(try database.changes(since: UInt64.max).ids() == [])
            #expect(try database.changes(since: UInt64(Int64.max) - 1).ids() == [])
            #expect(try database.changes(since: 0, descending: true).ids() == ["d", "b", "a"])
            #expect(try database.changes(since: 4, limit: 1).ids() == ["b"])
            #expect(try database.changes(since: 4, limit: 1, descending: true).ids() == ["d"])
            let bodies = try database.changes(since: 0, limit: 1, includeDocs: true).rows()
            #expect(bodies.map(\.text) == [#"{"n":2}"#])
        }
    }

    @Test(arguments: Storage.all) func aPageHasSoManyBytesAndSaysWhetherItIsTheLast(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            for number in 0..<10 { try database["\(number)"].put(["text": .string(String(repeating: "x", count: 90))]) }
            let rows = { (page: ChangePage) in page.rows.map(\.documentID.string).joined() }
            let first = try database.changePage(since: 0, limit: 100, bytes: 250, includeDocs: true)
            #expect(rows(first) == "012" && !first.isLast)
            let one = try database.changePage(since: 3, limit: 100, bytes: 1, includeDocs: true)
            #expect(rows(one) == "3" && !one.isLast)
            let rest = try database.changePage(since: 4, limit: 100, bytes: 10_000, includeDocs: true)
            #expect(rows(rest) == "456789" && rest.isLast)
            let few = try database.changePage(since: 4, limit: 6, bytes: 1)
            #expect(rows(few) == "456789" && !few.isLast)
            let none = try database.changePage(since: 10, limit: 6, bytes: 1)
            #expect(none.rows.isEmpty && none.isLast)
            let down = try database.changePage(since: 2, through: 6, limit: 3, bytes: 1, descending: true)
            #expect(rows(down) == "543" && !down.isLast)
            let end = try database.changePage(since: 2, through: 3, limit: 3, bytes: 1, descending: true)
            #expect(rows(end) == "2" && end.isLast)
            #expect(try database.changePage(since: 2, through: 0, limit: 3, bytes: 1, descending: true).isLast)
        }
    }

    /// A peer asks for everything that it may lack, losing branches and their tombstones too.
    @Test(arguments: Storage.all) func leavesComeInTheOrderInWhichTheyWin(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["plain"].put(["n": 1])
            let first = try database["forked"].put(["n": 1])
            let second = try database["forked"].put(["n": 2], parent: first.id)
            let other = try RevisionID("2-a")
            let ended = try [RevisionID("3-b"), RevisionID("2-b")]
            try database["forked"].forceInsert(["n": 3], history: [other, first.id])
            try database["forked"].forceInsert([:], history: ended + [first.id], isDeleted: true)
            try database["gone"].put([:])
            let tombstone = try database["gone"].delete()
            let rows = try database.changes(since: 0, includeLeaves: true).rows()
            #expect(rows.map(\.documentID.string) == ["plain", "forked", "gone"])
            let forked = rows[1]
            let living = [second.id, other].sorted { $1 < $0 }.map { RevisionLeaf(id: $0, isDeleted: false) }
            #expect(forked.leaves == living + [RevisionLeaf(id: ended[0], isDeleted: true)])
            #expect(forked.revisionID == forked.leaves?.first?.id)
            #expect(forked.isConflicted && !forked.isDeleted && forked.json == nil)
            #expect(rows[0].leaves?.map(\.id) == [rows[0].revisionID])
            #expect(rows[2].leaves == [RevisionLeaf(id: tombstone.id, isDeleted: true)])
            let last = database.changes(since: 0, limit: 1, descending: true, includeDocs: true, includeLeaves: true)
            #expect(try last.rows().map(\.text) == ["{}"])
            #expect(try database.changes(since: 0).rows().allSatisfy { $0.leaves == nil })
        }
    }

    @Test(arguments: Storage.all) func manyChangesComePageByPage(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction { for number in 0..<1500 { try database["d\(number)"].put([:]) } }
            #expect(try database.changes(since: 0).rows().map(\.sequence) == Array(1...1500))
            #expect(try database.changes(since: 0, descending: true).rows().map(\.sequence) == (1...1500).reversed())
            #expect(try database.changes(since: 256, limit: 600).rows().map(\.sequence) == Array(257...856))
        }
    }

    /// A document that changes during a listing is listed again, so that nothing is missed.
    @Test(arguments: Storage.all) func whatChangesMeanwhileComesAgain(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database.inTransaction { for number in 0..<600 { try database["d\(number)"].put([:]) } }
            var sequences: [UInt64] = []
            try database.changes(since: 0).forEach { row in
                sequences.append(row.sequence)
                if sequences.count == 1 { try database["d5"].update { $0["n"] = 1 } }
                if sequences.count == 2 { try database["d550"].delete() }
            }
            #expect(sequences == sequences.sorted())
            #expect(Set(sequences).count == sequences.count)
            #expect(sequences.suffix(2) == [601, 602])
            #expect(!sequences.contains(551))
            #expect(sequences.contains(6))
        }
    }
}
