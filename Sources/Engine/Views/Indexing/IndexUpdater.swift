internal import StorageProtocol

/// Brings the indexes of views up to date: reads documents chunk by chunk, each on a snapshot of its own, maps them, and
/// writes the rows of a chunk in a transaction of its own.
///
/// Inside a transaction of the calling thread all that is part of it.
struct IndexUpdater {
    let database: Database
    private let names: [ViewName]
    let cancellation: Cancellation?

    /// - Parameters:
    ///   - names: in ascending order, each once.
    ///   - cancellation: ends it after the present chunk.
    init(_ database: Database, _ names: [ViewName], cancellation: Cancellation? = nil) {
        self.database = database
        self.names = names
        self.cancellation = cancellation
    }

    func run() throws(StorageError) {
        switch ThreadContext.current.activity(on: database) {
        case nil: try inTurn(names[...])
        // Who is inside a transaction keeps all writers away; to wait for one of them would never end.
        case .write: try update()
        // Nor would a map function's wait for the update that it runs for. This is refused.
        case .snapshot, .closure: try database.change { _ in }
        }
    }

    private func inTurn(_ rest: ArraySlice<ViewName>) throws(StorageError) {
        guard let name = rest.first else { return try update() }
        try database.viewRegistry.turn(name).perform { () throws(StorageError) in try inTurn(rest.dropFirst()) }
    }

    private func update() throws(StorageError) {
        var goal: UInt64?
        while true {
            try cancellation?.check()
            let step = try database.withReadTransaction { (transaction) throws(StorageError) in
                try IndexStep(names, of: database, in: transaction, goal: goal)
            }
            goal = step.goal
            if !step.missing.isEmpty {
                try database.change { (session) throws(StorageError) in
                    for target in step.missing { try target.create(in: session, of: database) }
                }
                continue
            }
            guard let chunk = step.chunk else { return }
            let mapper = ChunkMapper(database: database, threads: database.mappingThreads)
            let rows = mapper.map(chunk, step.targets.map(\.work))
            for (target, mapped) in zip(step.targets, rows) { note(mapped, of: target) }
            try database.change { (session) throws(StorageError) in
                for (target, mapped) in zip(step.targets, rows) {
                    try target.apply(mapped.batches, of: chunk, upTo: step.last, in: session)
                }
            }
        }
    }

    private func note(_ rows: ChunkMapper.Rows, of target: IndexTarget) {
        guard !rows.faults.isEmpty else { return }
        database.viewRegistry.add(rows.faults, to: target.name)
        let view = "\(database.name): view '\(target.name.string)'"
        if rows.faults.failed > 0 {
            let example = rows.failed.map { ", as \(Log.tag($0))" } ?? ""
            Log.log(.error, .view, "\(view): the map function threw for \(rows.faults.failed) documents\(example)")
        }
        if rows.faults.refused > 0 {
            Log.log(
                .warning,
                .view,
                """
                \(view): rows were left out: \(rows.faults.nilKeys) without a key, \(rows.faults.badRows) whose key or \
                value cannot be stored
                """
            )
        }
    }
}
