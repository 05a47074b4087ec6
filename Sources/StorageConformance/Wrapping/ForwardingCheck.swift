public import StorageProtocol

extension Conformance {
    /// Checks whether a wrapper of engines passes every call on to the wrapped engine, under the same name. Many calls
    /// have default implementations made of other calls, which a wrapper inherits unless it implements them. The
    /// wrapped engine's own implementations are then never reached, and their speed and their knowledge of the store
    /// are lost.
    ///
    /// - Parameters:
    ///   - row: An engine to wrap. A new store is created for it, in a directory of its own.
    ///   - exceptions: Calls that the wrapper handles itself, by the names of `forwardedCalls`.
    ///   - wrap: Creates a factory whose engines pass their calls on to those of the given one.
    /// - Returns: The calls that did not arrive as they should, a line for each; empty for a wrapper that passes
    ///   everything on.
    public static func unforwardedCalls(
        of row: EngineCase,
        except exceptions: Set<String> = [],
        by wrap: (any StorageEngineFactory) -> any StorageEngineFactory
    ) throws -> [String] {
        let plan = FaultPlan()
        let wrapped = wrap(FaultInjectingEngineFactory(row.factory, faults: plan))
        let check = ForwardingCheck(plan, exceptions)
        let directory = try row.makeDirectory()
        let copy = try row.makeDirectory()
        defer { for made in [directory, copy] { row.removeDirectory(made) } }
        try check.run(wrapped, directory: directory, copy: copy, key: row.key)
        let missed = forwardedCalls.filter { !check.called.contains($0) && !exceptions.contains($0) }
        return check.problems + missed.map { "\($0) was not called" }
    }

    /// The calls of the contract. Where several have the same name, the first label of one distinguishes it from the
    /// others.
    public static let forwardedCalls: [String] =
        ForwardingCheck.ofFactories + ForwardingCheck.ofEngines + ForwardingCheck.ofReading + ForwardingCheck.ofWriting
}

/// Makes each call of the contract once, and checks under which name it arrives.
final class ForwardingCheck {
    static let ofFactories = ["authorize", "pendingLog", "open"]
    static let ofEngines = [
        "storageType", "capabilities", "compression", "blobStore", "openingProblems", "takeBackgroundProblems",
        "beginRead", "beginSingleRead", "beginWrite", "raiseDurability", "checkpoint", "copy", "beginRewrite",
        "compact", "oldestSnapshot", "verify", "statistics", "close",
    ]
    static let ofReading = [
        "counters", "record", "records(ids:)", "records(in:)", "records(in:where:)", "records(sequences:)",
        "revisionBody",
        "revisionBodies", "hiddenEntries", "localDocument", "localDocuments", "expiration", "expirations", "info",
        "allInfo",
        "indexNames", "indexState", "indexRows", "hasDroppedIndexes", "indexedSequence", "indexDocuments",
        "indexEntry", "indexEntries", "blobReference", "blobReferences", "end",
    ]
    static let ofWriting = [
        "commit", "rollback", "insert", "update", "putRevisionBody", "removeRevisionBody", "purge", "apply",
        "raiseLastSequence", "hide", "restore", "trimHiddenEntries", "putLocalDocument", "removeLocalDocument",
        "setExpiration", "setInfo", "setIndexState", "replaceIndexRows", "fillIndex", "putIndexEntries",
        "removeIndexEntries", "removeIndexEntries(for:)", "removeAllIndexEntries", "dropIndex",
        "reclaimDroppedIndexes", "setBlobReference", "removeBlobReference",
    ]

    private(set) var problems: [String] = []
    private(set) var called: Set<String> = []
    private let plan: FaultPlan
    private let exceptions: Set<String>

    init(_ plan: FaultPlan, _ exceptions: Set<String>) {
        self.plan = plan
        self.exceptions = exceptions
    }

    /// Whether the call succeeds does not matter: engines refuse some.
    func call(_ name: String, _ body: () throws(StorageError) -> Void) {
        called.insert(name)
        let arrived = plan.calls { do throws(StorageError) { try body() } catch {} }
        if arrived != [name], !exceptions.contains(name) {
            problems.append("\(name) arrived as \(arrived.isEmpty ? "nothing" : arrived.joined(separator: ", "))")
        }
    }

    func run(
        _ factory: any StorageEngineFactory,
        directory: String,
        copy: String,
        key: StorageKey?
    ) throws(StorageError) {
        let options = StorageOptions(create: true, key: key)
        call("storageType") { () throws(StorageError) in _ = factory.storageType }
        call("capabilities") { () throws(StorageError) in _ = factory.capabilities }
        call("authorize") { () throws(StorageError) in try factory.authorize(directory: directory, options: options) }
        call("pendingLog") { () throws(StorageError) in _ = try factory.pendingLog(directory: directory) }
        var opened: (any StorageEngine)?
        call("open") { () throws(StorageError) in opened = try factory.open(directory: directory, options: options) }
        guard let engine = opened else {
            throw StorageError(.unexpected, "The wrapper opened no store to make calls on.")
        }
        ask(engine, copy: copy)
        let writing = try engine.beginWrite()
        read(writing)
        write(writing)
        call("rollback") { () throws(StorageError) in writing.rollback() }
        let committing = try engine.beginWrite()
        call("commit") { () throws(StorageError) in try committing.commit() }
        for reading in [try engine.beginRead(), try engine.beginSingleRead()] {
            read(reading)
            call("end") { () throws(StorageError) in reading.end() }
        }
        call("close") { () throws(StorageError) in engine.close() }
    }

    private func ask(_ engine: any StorageEngine, copy: String) {
        call("storageType") { () throws(StorageError) in _ = engine.storageType }
        call("capabilities") { () throws(StorageError) in _ = engine.capabilities }
        call("compression") { () throws(StorageError) in _ = engine.compression }
        call("blobStore") { () throws(StorageError) in _ = engine.blobStore }
        call("openingProblems") { () throws(StorageError) in _ = engine.openingProblems }
        call("takeBackgroundProblems") { () throws(StorageError) in _ = engine.takeBackgroundProblems() }
        var begun: [any ReadTransaction] = []
        call("beginRead") { () throws(StorageError) in begun.append(try engine.beginRead()) }
        call("beginSingleRead") { () throws(StorageError) in begun.append(try engine.beginSingleRead()) }
        call("beginWrite") { () throws(StorageError) in begun.append(try engine.beginWrite(patience: .seconds(1))) }
        for transaction in begun { transaction.end() }
        call("raiseDurability") { () throws(StorageError) in try engine.raiseDurability() }
        call("checkpoint") { () throws(StorageError) in try engine.checkpoint() }
        var rewrite: (any StorageRewrite)?
        call("beginRewrite") { () throws(StorageError) in
            rewrite = try engine.beginRewrite(toDirectory: copy, options: StorageCopyOptions())
        }
        rewrite?.cancel()
        call("copy") { () throws(StorageError) in
            try engine.copy(toDirectory: copy, options: StorageCopyOptions()) { (_, _) throws(StorageError) in }
        }
        call("compact") { () throws(StorageError) in try engine.compact { (_, _) throws(StorageError) in } }
        call("oldestSnapshot") { () throws(StorageError) in _ = try engine.oldestSnapshot() }
        call("verify") { () throws(StorageError) in
            try engine.verify(progress: { (_, _) throws(StorageError) in }) { _ in }
        }
        call("statistics") { () throws(StorageError) in _ = try engine.statistics() }
    }
}
