internal import StorageProtocol

/// Applies operations to an engine and to the model, and compares them after each.
final class RandomRun {
    /// The engine and the model differ.
    struct Mismatch: Error {
        var message: String
    }

    let context: ConformanceContext
    private(set) var engine: any StorageEngine
    private(set) var writer: (any WriteTransaction)?
    private var snapshots: [(transaction: any ReadTransaction, model: ModelStore)] = []
    private var committed = ModelStore()
    private var changeCounter: UInt64 = 0
    /// Whether inserts accept any unused sequence: a restored store that cannot be opened again remains one that is
    /// being built.
    private(set) var isBeingBuilt = false
    /// The model of the open transaction.
    var model = ModelStore()
    /// Everything that the engine returned: the same on every engine.
    private(set) var log: [String] = []

    init(_ context: ConformanceContext) throws {
        self.context = context
        self.engine = try context.open()
    }

    func run(_ operations: [RandomOperation]) throws {
        for operation in operations { try apply(operation) }
        try apply(.commit)
        while !snapshots.isEmpty { try apply(.compareSnapshot) }
        try apply(.reopen)
        context.checkSound(engine, "after the run")
        if let failure = context.failures.first { throw Mismatch(message: "\(failure)") }
    }

    /// Ends everything that a failed run has left open.
    func abandon() {
        writer?.rollback()
        for snapshot in snapshots { snapshot.transaction.end() }
        context.close(engine)
    }

    /// Returns the open write transaction, or begins one.
    func begin() throws(StorageError) -> any WriteTransaction {
        if let writer { return writer }
        let begun = try engine.beginWrite()
        writer = begun
        return begun
    }

    /// Compares a result with the model's and records it.
    func check<T: Equatable>(_ found: T, _ expected: T, _ what: String) throws {
        if found != expected {
            throw Mismatch(
                message:
                    "\(what)\n  expected: \(String(describing: expected).prefix(600))\n  found:    "
                    + "\(String(describing: found).prefix(600))"
            )
        }
        log.append("\(what): \(found)")
    }

    func checkContents(_ transaction: any ReadTransaction, _ model: ModelStore, _ what: String) throws {
        let contents = try transaction.contents()
        if let difference = contents.difference(from: model.contents) {
            throw Mismatch(message: "\(what): \(difference.prefix(1_200))")
        }
        log.append("\(what): \(contents.records.count) records, \(contents.indexes.map(\.rows.count)) rows")
    }

    private func apply(_ operation: RandomOperation) throws {
        switch operation {
        case .commit:
            try writer?.commit()
            writer = nil
            committed = model
            try checkCommitted("after a commit")
        case .rollback:
            writer?.rollback()
            writer = nil
            model = committed
            try checkCommitted("after a roll-back")
        case .reopen:
            writer?.rollback()
            writer = nil
            model = committed
            for snapshot in snapshots { snapshot.transaction.end() }
            snapshots = []
            if context.row.isPersistent { engine = try context.reopen(engine) }
            try checkCommitted("after opening again")
        case .checkpoint:
            if writer == nil { try engine.checkpoint() }
        case .rebuild:
            try apply(.commit)
            try rebuild()
        case .takeSnapshot:
            guard snapshots.count < 3 else { return }
            let transaction = try engine.beginRead()
            // The first read is what fixes a snapshot.
            snapshots.append((transaction, committed))
            try check(try transaction.counters().lastSequence, committed.lastSequence, "a new snapshot's sequence")
        case .compareSnapshot:
            guard !snapshots.isEmpty else { return }
            let (transaction, model) = snapshots.removeFirst()
            defer { transaction.end() }
            try checkContents(transaction, model, "an old snapshot")
        case .readRecords, .readChanges, .readRows, .lookUp:
            try applyRead(operation, writer ?? engine.beginRead())
        default:
            try applyWrite(operation, begin())
        }
    }

    private func rebuild() throws {
        let before = try engine.read { (tx) throws(StorageError) in try tx.counters() }
        let built = try context.open(try context.makeDirectory(), create: true, isBeingBuilt: true)
        try StoreRestorer(from: engine, to: built).run()
        for snapshot in snapshots { snapshot.transaction.end() }
        snapshots = []
        context.close(engine)
        engine = built
        model = committed
        isBeingBuilt = !context.row.isPersistent
        let after = try built.read { (tx) throws(StorageError) in try tx.counters() }
        if after != before { throw Mismatch(message: "a store was restored with \(after) in the place of \(before)") }
        try checkCommitted("after it was restored")
        try apply(.reopen)
    }

    private func checkCommitted(_ what: String) throws {
        let counter = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
        if counter < changeCounter { throw Mismatch(message: "\(what) the change counter went back") }
        changeCounter = counter
        let transaction = try engine.beginRead()
        defer { transaction.end() }
        try checkContents(transaction, committed, what)
    }
}
