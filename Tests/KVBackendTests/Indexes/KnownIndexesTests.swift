import StorageProtocol
import Testing

@testable import SetteeKV

/// What snapshots keep of the entries of indexes.
@Suite struct KnownIndexesTests {
    private func state(_ version: String) -> IndexState {
        IndexState(version: version, collationVersion: "c", lastSequence: 0, lastChangedSequence: 0)
    }

    private func version(_ engine: LMDBEngine, _ name: String = "x") throws -> String? {
        try engine.read { (tx) throws(StorageError) in try tx.indexState(name)?.version }
    }

    @Test func snapshotsOfOneStateReadAnEntryOnce() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.setIndexState("x", state("1")) }
        #expect(try version(engine) == "1")
        // A change past the engine, which leaves the change counter as it is.
        try engine.tamper(.indexes, [0x78], nil)
        #expect(try version(engine) == "1")
        try engine.write { (tx) throws(StorageError) in try tx.add("d") }
        #expect(try version(engine) == nil)
    }

    @Test func snapshotsShowTheirOwnState() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        let other = try folder.openEngine()
        defer {
            engine.close()
            other.close()
        }
        try engine.write { (tx) throws(StorageError) in try tx.setIndexState("x", state("1")) }
        let old = try engine.beginRead()
        defer { old.end() }
        // Another engine has what it knows for itself, as another process has.
        try other.write { (tx) throws(StorageError) in try tx.setIndexState("x", state("2")) }
        #expect(try version(engine) == "2")
        #expect(try old.indexState("x")?.version == "1")
        #expect(try version(engine) == "2")
        try other.write { (tx) throws(StorageError) in try tx.dropIndex("x") }
        #expect(try version(engine) == nil)
        #expect(try old.indexState("x")?.version == "1")
    }

    @Test func whatIsRolledBackIsNotKept() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.setIndexState("x", state("1")) }
        let writer = try engine.beginWrite(patience: nil)
        try writer.setIndexState("x", state("2"))
        try writer.setIndexState("y", state("2"))
        #expect(try writer.indexState("x")?.version == "2")
        writer.rollback()
        #expect(try version(engine) == "1")
        #expect(try version(engine, "y") == nil)
        try engine.write { (tx) throws(StorageError) in try tx.setIndexState("x", state("3")) }
        #expect(try version(engine) == "3")
    }

    @Test func namesAreCompared() throws {
        let folder = try TestFolder()
        let engine = try folder.openEngine()
        defer { engine.close() }
        // Composed and decomposed, and more than are kept.
        let names = ["\u{E9}", "e\u{301}"] + (0..<40).map { "n\($0)" }
        try engine.write { (tx) throws(StorageError) in
            for (number, name) in names.enumerated() { try tx.setIndexState(name, state("\(number)")) }
        }
        for _ in 0..<2 {
            for (number, name) in names.enumerated() { #expect(try version(engine, name) == "\(number)") }
        }
    }

    @Test func nothingIsKeptAfterACounterWasSet() throws {
        let folder = try TestFolder()
        var options = StorageOptions(create: true, durability: .normal)
        options.isBeingBuilt = true
        let engine = try LMDBEngine(directory: folder.path, options: options, mapSize: 1 << 32)
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.setIndexState("x", state("1")) }
        #expect(try version(engine) == "1")
        let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
        try engine.write { (tx) throws(StorageError) in
            try tx.setIndexState("x", state("2"))
            try tx.restore(counters)
        }
        #expect(try version(engine) == "2")
    }
}
