internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// What a record leaves in the tables over its life.
@Suite
struct RecordTests {
    @Test("updates move the entry by sequence and leave nothing behind")
    func updates() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in for name in ["a", "b"] { try tx.add(name) } }
        for round in UInt64(1)...50 {
            try engine.write { (tx) throws(StorageError) in try tx.change("a") }
            let changes = try engine.read { (tx) throws(StorageError) in try tx.changes() }
            #expect(changes == ["2 b", "\(round + 2) a"])
        }
        let all = try engine.read { (tx) throws(StorageError) in try tx.changes(descending: true, fields: .all) }
        #expect(all == ["52 a", "2 b"])
        #expect(try engine.entries(.sequences) == ["0000000000000002 0062", "0000000000000034 0061"])
        #expect(try engine.problems() == [])
    }

    @Test("a purge removes everything of a document except its hidden entry")
    func purgeAndReturn() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            try tx.add("a")
            try tx.change("a")
            try tx.setExpiration(5, of: DocumentID("a"))
            try tx.purge("a")
            try tx.add("a", #"{"n":2}"#)
            #expect(try tx.changes() == ["4 a"])
            #expect(try tx.expiration(of: DocumentID("a")) == nil)
        }
        try engine.write { (tx) throws(StorageError) in
            try tx.setExpiration(7, of: DocumentID("a"))
            try tx.change("a")
            try tx.purge("a")
        }
        for table in [Table.documents, .sequences, .expirations, .expiries] {
            #expect(try engine.entries(table) == [], "the table '\(table.name)'")
        }
        #expect(try engine.entries(.hidden) == ["0000000000000003 61", "0000000000000006 61"])
        #expect(try engine.problems() == [])
    }

    @Test("old bodies are kept when a record is replaced, in one transaction or in many", arguments: [1, 40])
    func oldBodies(commits: Int) throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let long = String(repeating: "x", count: 9_000)
        func body(_ n: Int) -> String { #"{"n":\#(n),"x":"\#(long)"}"# }
        try engine.write { (tx) throws(StorageError) in try tx.add("a", body(0)) }
        for commit in 0..<commits {
            try engine.write { (tx) throws(StorageError) in
                for step in 0..<(40 / commits) {
                    let n = commit * (40 / commits) + step
                    let old = UInt64(n * 2 + 1)
                    try tx.change("a", .replaceKeepingOld(Array(body(n + 1).utf8), oldSequence: old))
                    try tx.change("a")
                }
            }
        }
        try engine.read { (tx) throws(StorageError) in
            #expect(try tx.json("a") == body(40))
            var n = 0
            try tx.revisionBodies { (sequence, owner, json) throws(StorageError) in
                #expect(sequence == UInt64(n * 2 + 1))
                #expect(owner == DocumentID("a"))
                #expect(json.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == body(n))
                n += 1
                return true
            }
            #expect(n == 40)
        }
        #expect(try engine.problems() == [])
    }

    @Test("counters below a record's sequence are damage, and no document is changed")
    func countersBelow() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in for name in ["a", "b", "c"] { try tx.add(name) } }
        // Change counter 1, last sequence 1, one live document, the next node and index 1.
        try engine.tamper(.meta, Array("counters".utf8), [1, 1, 1, 1, 1])
        #expect(throws: StorageError.self) {
            try engine.write { (tx) throws(StorageError) in try tx.change("c") }
        }
        #expect(try engine.read { (tx) throws(StorageError) in try tx.json("c") } == "{}")
        #expect(try engine.problems() != [])
    }

    /// The count would be -1.
    @Test("a count of live documents that is too low is damage when a document is deleted", arguments: [0, 1])
    func countTooLow(live: UInt8) throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in for name in ["a", "b"] { try tx.add(name) } }
        // Change counter 1, last sequence 2, the next node and index 1.
        try engine.tamper(.meta, Array("counters".utf8), [1, 2, live, 1, 1])
        let writer = try engine.beginWrite()
        #expect(code { try writer.purge("a") } == (live == 0 ? .corrupt : nil))
        #expect(code { try writer.purge("b") } == .corrupt)
        #expect(code { try writer.commit() } == .corrupt)
        #expect(try engine.read { (tx) throws(StorageError) in try tx.changes() } == ["1 a", "2 b"])
    }
}
