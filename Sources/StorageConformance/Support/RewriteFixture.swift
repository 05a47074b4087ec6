internal import StorageProtocol

/// A store with some documents, and a directory for a copy of it.
final class RewriteFixture: Sendable {
    let context: ConformanceContext
    let engine: any StorageEngine
    private let target = Locked("")

    /// Creates the documents `d0`, `d1`, ... in `engine`, by default a new store. Nil if the engine does not rewrite in
    /// steps: there is nothing to test.
    init?(_ context: ConformanceContext, _ engine: (any StorageEngine)? = nil, documents: Int = 600) throws {
        self.context = context
        let engine = try engine ?? context.open()
        self.engine = engine
        guard engine.capabilities.compaction == .inSteps else { return nil }
        let text = String(repeating: "x", count: 2_000)
        try engine.write { (tx) throws(StorageError) in
            for n in 0..<documents { try tx.add("d\(n)", #"{"n":\#(n),"x":"\#(text)"}"#) }
        }
    }

    /// The directory of the last rewrite's copy.
    var directory: String { target.withLock { $0 } }

    func makeDirectory() throws {
        let directory = try context.makeDirectory()
        target.withLock { $0 = directory }
    }

    /// Begins a rewrite into a new directory.
    func begin() throws -> any StorageRewrite {
        try makeDirectory()
        return try engine.beginRewrite(toDirectory: directory)
    }

    /// Makes small steps until the copy is complete. After each of the first ones, `work` is called with its number.
    func complete(
        _ rewrite: any StorageRewrite,
        _ work: (Int) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        for number in 0..<10_000 {
            if try rewrite.step(limit: .zero).isComplete { return }
            if number < 40 { try work(number) }
        }
        context.report("steps come to an end", "a complete copy", "none after 10,000 steps")
    }

    /// Commits changes at both ends of the store and in between; `number` differs from call to call.
    func change(_ number: Int) throws(StorageError) {
        try engine.write { (tx) throws(StorageError) in
            try tx.writeEverything("n\(number)")
            try tx.change("d\(number)", .replace(bytes("[\(number)]")))
            try tx.change("d\(599 - number)", .replaceKeepingOld(bytes("{}"), oldSequence: UInt64(600 - number)))
            try tx.purge("d\(200 + number)")
        }
    }

    /// Opens the copy, which must have the whole content of the store.
    func openAndCompare() throws(StorageError) -> any StorageEngine {
        let copy = try context.open(directory)
        try context.expectTheSame(copy, as: engine)
        return copy
    }

    /// Expects that only `cancel` is possible.
    func expectTheEnd(of rewrite: any StorageRewrite, _ when: String) {
        context.fails(nil, "no step is done \(when)") { () throws(StorageError) in
            _ = try rewrite.step(limit: .zero)
        }
        context.fails(nil, "nothing is finished \(when)") { () throws(StorageError) in try rewrite.finish() }
    }
}

extension ConformanceContext {
    /// Expects that two stores have the same content and counters.
    func expectTheSame(_ copy: any StorageEngine, as original: any StorageEngine) throws(StorageError) {
        let wanted = try original.read { (tx) throws(StorageError) in try tx.contents() }
        let found = try copy.read { (tx) throws(StorageError) in try tx.contents() }
        equal(found.difference(from: wanted), nil, "the same content")
        let counters = try original.read { (tx) throws(StorageError) in try tx.counters() }
        equal(try copy.read { (tx) throws(StorageError) in try tx.counters() }, counters, "the same counters")
        for name in try original.read({ (tx) throws(StorageError) in try tx.indexNames() }) {
            equal(
                try copy.read { (tx) throws(StorageError) in try tx.indexedDocuments(name) },
                try original.read { (tx) throws(StorageError) in try tx.indexedDocuments(name) },
                "the same documents in the index"
            )
        }
    }
}

extension ReadTransaction {
    /// Returns the documents of an index by ID, each with its sequence and its keys.
    fileprivate func indexedDocuments(_ name: String) throws(StorageError) -> [String] {
        var lines: [String] = []
        try indexDocuments(name, after: nil) { (document) throws(StorageError) in
            let keys = (0..<document.rowCount).map { emit in document.withKey(emit) { text($0) } }
            lines.append("\(try document.documentID()) \(document.sequence) \(keys)")
            return true
        }
        return lines
    }
}
