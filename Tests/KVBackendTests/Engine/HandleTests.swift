internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// The handle of a record is its first sequence, and leads to it as long as it lives.
@Suite
struct HandleTests {
    @Test("updates move the entry by sequence; the first one leaves the handle in a table of its own")
    func updates() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let handle = try engine.write { (tx) throws(StorageError) in
            let handle = try tx.add("a")
            try tx.add("b")
            return handle
        }
        #expect(handle.rawValue == 1)
        #expect(try engine.entries(.handles) == [])
        for round in UInt64(1)...50 {
            try engine.write { (tx) throws(StorageError) in try tx.change("a", handle) }
            let changes = try engine.read { (tx) throws(StorageError) in try tx.changes() }
            #expect(changes == ["2 b 2", "\(round + 2) a 1"])
            #expect(try engine.entries(.handles) == ["0000000000000001 61"])
        }
        let all = try engine.read { (tx) throws(StorageError) in try tx.changes(descending: true, fields: .all) }
        #expect(all == ["52 a 1", "2 b 2"])
        #expect(try engine.entries(.sequences).count == 2)
        #expect(try engine.problems() == [])
    }

    @Test("a purge takes the handle; a new record of the ID has another")
    func purgeAndReturn() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            let first = try tx.add("a")
            try tx.change("a", first)
            try tx.purge("a", first)
            let second = try tx.add("a", #"{"n":2}"#)
            #expect(second != first)
            #expect(try tx.changes() == ["4 a 4"])
        }
        #expect(try engine.entries(.handles) == [])
        try engine.write { (tx) throws(StorageError) in
            try tx.change("a", RecordHandle(rawValue: 4))
            try tx.purge("a", RecordHandle(rawValue: 4))
        }
        #expect(try engine.entries(.handles) == [])
        #expect(try engine.entries(.sequences) == [])
        #expect(try engine.entries(.documents) == [])
        #expect(try engine.entries(.hidden) == ["0000000000000003 61", "0000000000000006 61"])
        #expect(try engine.problems() == [])
    }

    /// A sequence is no handle, though `sequences` has an entry there.
    @Test("the present sequence of an updated record is nobody's handle")
    func sequencesAreNoHandles() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            let handle = try tx.add("a")
            try tx.change("a", handle)
            let wrong = RecordHandle(rawValue: 2)
            #expect(code { try tx.setExpiration(5, of: wrong) } == .notFound)
            #expect(code { try tx.setExpiration(nil, of: wrong) } == .notFound)
            #expect(code { try tx.putRevisionBody([UInt8]("{}".utf8).span.bytes, at: 1, owner: wrong) } == .notFound)
            #expect(code { try tx.change("a", wrong) } == .notFound)
            #expect(code { try tx.purge("a", wrong) } == .notFound)
            #expect(try tx.expiration(of: wrong) == nil)
            try tx.setExpiration(5, of: handle)
            #expect(try tx.expiration(of: handle) == 5)
        }
        #expect(try engine.entries(.bodies) == [])
    }

    @Test("a handle goes with its own document only, looked up before or not", arguments: [true, false])
    func handlesOfOthers(looksUp: Bool) throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            let a = try tx.add("a")
            let b = try tx.add("b")
            if looksUp { _ = try tx.json("a") }
            #expect(code { try tx.change("b", a) } == .notFound)
            #expect(code { try tx.change("a", b) } == .notFound)
            #expect(code { try tx.purge("b", a) } == .notFound)
            try tx.change("a", a)
            try tx.change("a", a)
            try tx.purge("a", a)
            #expect(code { try tx.change("a", a) } == .notFound)
            #expect(try tx.changes() == ["2 b 2"])
        }
        #expect(try engine.problems() == [])
    }

    @Test("old bodies are kept from the record that is replaced, in one transaction as in many", arguments: [1, 40])
    func oldBodies(commits: Int) throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let long = String(repeating: "x", count: 9_000)
        func body(_ n: Int) -> String { #"{"n":\#(n),"x":"\#(long)"}"# }
        let handle = try engine.write { (tx) throws(StorageError) in try tx.add("a", body(0)) }
        for commit in 0..<commits {
            try engine.write { (tx) throws(StorageError) in
                for step in 0..<(40 / commits) {
                    let n = commit * (40 / commits) + step
                    let old = UInt64(n * 2 + 1)
                    try tx.change("a", handle, .replaceKeepingOld(Array(body(n + 1).utf8), oldSequence: old))
                    try tx.change("a", handle)
                }
            }
        }
        try engine.read { (tx) throws(StorageError) in
            #expect(try tx.json("a") == body(40))
            var n = 0
            try tx.revisionBodies { (sequence, owner, json) throws(StorageError) in
                #expect(sequence == UInt64(n * 2 + 1))
                #expect(owner == handle)
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
        let handle = try engine.write { (tx) throws(StorageError) in
            try tx.add("a")
            try tx.add("b")
            return try tx.add("c")
        }
        // Change counter 1, last sequence 1, one live document, the next node and index 1.
        try engine.tamper(.meta, Array("counters".utf8), [1, 1, 1, 1, 1])
        #expect(throws: StorageError.self) {
            try engine.write { (tx) throws(StorageError) in try tx.change("c", handle) }
        }
        #expect(try engine.read { (tx) throws(StorageError) in try tx.json("c") } == "{}")
        #expect(try engine.problems() != [])
    }
}
