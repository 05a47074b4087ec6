internal import Dispatch
internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// How transactions and engines end.
@Suite
struct LifeTests {
    @Test("the last transaction to end closes the store, not `close` before it")
    func lastOneCloses() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        let snapshot = try engine.beginRead()
        let writer = try engine.beginWrite()
        try writer.add("a")
        engine.close()
        engine.close()
        #expect(code { _ = try snapshot.changes() } == .notOpen)
        #expect(code { try writer.add("b") } == .notOpen)
        #expect(code { try writer.commit() } == .notOpen)
        #expect(engine.openTransactions == 2)
        writer.rollback()
        snapshot.end()
        #expect(engine.openTransactions == 0)
        #expect(code { _ = try engine.statistics() } == .notOpen)
        let again = try folder.openEngine()
        defer { again.close() }
        #expect(try again.read { (tx) throws(StorageError) in try tx.changes() } == [])
        try again.write { (tx) throws(StorageError) in try tx.add("c") }
    }

    @Test("a snapshot ended inside its own closure keeps what was lent until that returns")
    func endInside() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            for name in ["a", "b", "c"] { try tx.add(name, #"{"of":"\#(name)"}"#) }
        }
        for sequences in [true, false] {
            let snapshot = try engine.beginRead()
            var seen: [String] = []
            let failure = code {
                let visit = { (view: borrowing RecordView) throws(StorageError) -> Bool in
                    snapshot.end()
                    seen.append(String(decoding: view.bodyCopy(), as: UTF8.self))
                    #expect(engine.openTransactions == 1)
                    return true
                }
                if sequences {
                    try snapshot.records(sequences: 0...9, descending: false, fields: .body, visit)
                } else {
                    try snapshot.records(in: .all, descending: false, fields: .body, visit)
                }
            }
            #expect(failure == .notOpen)
            #expect(seen == [#"{"of":"a"}"#])
            #expect(engine.openTransactions == 0)
        }
    }

    @Test("a transaction is ended when its last reference goes")
    func forgotten() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        do {
            _ = try engine.beginRead()
            let writer = try engine.beginWrite()
            try writer.add("a")
        }
        #expect(engine.openTransactions == 0)
        try engine.write { (tx) throws(StorageError) in
            #expect(try tx.changes() == [])
            try tx.add("b")
        }
    }

    @Test("another thread cannot roll back or end a write transaction")
    func otherThread() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        nonisolated(unsafe) let writer = try engine.beginWrite()
        try writer.add("a")
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            writer.rollback()
            writer.end()
            done.signal()
        }
        done.wait()
        try writer.add("b")
        try writer.commit()
        #expect(try engine.read { (tx) throws(StorageError) in try tx.changes().count } == 2)
    }

    @Test("damage that a call finds dooms the write transaction; a closure's error with the same code does not")
    func doom() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in for name in ["a", "b"] { try tx.add(name) } }
        let writer = try engine.beginWrite()
        #expect(
            code {
                try writer.records(in: .all, descending: false, fields: .all) { _ throws(StorageError) in
                    _ = try writer.record(DocumentID("b"), fields: .all) { _ throws(StorageError) in
                        throw StorageError.corrupt("What the closure says")
                    }
                    return true
                }
            } == .corrupt
        )
        try writer.add("c")
        #expect(code { try writer.add("c") } == .exists)
        #expect(code { try writer.change("none") } == .notFound)
        try writer.commit()

        try engine.tamper(.documents, Array("a".utf8), [0xFF])
        let doomed = try engine.beginWrite()
        try doomed.add("d")
        #expect(code { _ = try doomed.json("a") } == .corrupt)
        #expect(code { try doomed.add("e") } == .corrupt)
        #expect(code { _ = try doomed.json("b") } == .corrupt)
        #expect(code { try doomed.commit() } == .corrupt)
        #expect(code { try doomed.commit() } == .notOpen)
        #expect(engine.openTransactions == 0)
        try engine.write { (tx) throws(StorageError) in
            #expect(try tx.json("d") == nil)
            #expect(try tx.json("c") == "{}")
        }
    }

    @Test("numbers of nodes and indexes of a transaction that was rolled back are reused, others never")
    func numbers() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        let long = (0..<4).map { String(repeating: "\($0)", count: 2_000) }
        let writer = try engine.beginWrite()
        try writer.add(long[0])
        writer.rollback()
        try engine.write { (tx) throws(StorageError) in try tx.add(long[1]) }
        let nodes = try engine.entries(.chunks).count
        try engine.write { (tx) throws(StorageError) in try tx.purge(long[1]) }
        #expect(try engine.entries(.chunks) == [])
        try engine.write { (tx) throws(StorageError) in
            try tx.add(long[2])
            try tx.add(long[3])
        }
        #expect(try engine.entries(.chunks).count == 2 * nodes)
        #expect(try engine.problems() == [])
        #expect(try engine.read { (tx) throws(StorageError) in try tx.json(long[3]) } == "{}")
    }
}
