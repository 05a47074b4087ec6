public import Settee
public import StorageProtocol

/// Repeats a trace on databases of any storage type, in one thread, as fast as it can. Documents get the hashes of
/// their IDs as IDs, and bodies and contents of the recorded sizes, made from hashes: two replays of a trace
/// leave equal content (`Database.contentDigest`), whatever the engines.
public struct TraceReplay: Sendable {
    /// What a replay did.
    public struct Summary: Sendable, Equatable {
        /// How often each kind of operation was done.
        public internal(set) var operations: [TraceOperation: Int] = [:]
        /// Operations that the database refused, as with the document that a trace does not say enough about.
        public internal(set) var refused = 0
        /// Operations that are not repeated: openings, and those that lack their beginning or end.
        public internal(set) var leftOut = 0
        /// Documents that were made first, because the trace reads or changes what was there before it began.
        public internal(set) var prepared = 0
    }

    let events: [TraceEvent]
    let script: TraceScript
    let needs: TraceNeeds

    /// - Throws: `badRequest` (400) for a trace that no databases can have left.
    public init(_ trace: Trace) throws(StorageError) {
        events = trace.events
        script = try TraceScript(events)
        needs = TraceNeeds(events)
    }

    /// The numbers of the databases in the trace.
    public var databases: [Int] { Set(events.map(\.database)).sorted() }

    /// How many bytes of bodies and contents a replay writes.
    public var bytesToWrite: UInt64 { needs.bytes }

    /// Does everything. The databases should be new.
    ///
    /// - Parameters:
    ///   - maximumBytes: the most bytes of bodies and contents: a trace may ask for any number.
    ///   - database: returns the database for a number of the trace. It is asked once for each, and should have one of
    ///     its own for each.
    ///   - prepared: called when what the trace supposes to be there has been made.
    ///   - measure: called after each operation with its time in nanoseconds. The times of `begin` and `commit` are
    ///     those of beginning and ending transactions; one that is rolled back has the time of `rollback`.
    /// - Throws: `tooLarge` (413) for more than `maximumBytes`; failures of the databases. What a database refuses is
    ///   counted.
    @discardableResult
    public func run(
        maximumBytes: UInt64 = 1 << 36,
        database: (Int) throws -> Database,
        prepared: () -> Void = {},
        measure: (TraceOperation, UInt64) -> Void = { _, _ in }
    ) throws -> Summary {
        guard bytesToWrite <= maximumBytes else {
            throw StorageError(
                .tooLarge,
                "The trace writes \(bytesToWrite) bytes, which is more than the limit of \(maximumBytes)."
            )
        }
        var actors: [Int: TraceActor] = [:]
        for number in databases {
            actors[number] = TraceActor(try database(number), needs, number: number)
        }
        return try withoutActuallyEscaping(measure) { measure in
            let run = TraceRun(self, actors, measure)
            try run.prepare()
            prepared()
            try run.perform(script.steps)
            return run.summary
        }
    }
}
