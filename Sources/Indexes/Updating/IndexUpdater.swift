internal import Dispatch
internal import Foundation
package import SetteeEngine
package import StorageProtocol

/// Brings indexes of any kinds up to date, in one pass over the documents. It reads documents in chunks, each on a
/// snapshot of its own, maps them, and writes the rows of each chunk in a transaction of its own while the next one is
/// read and mapped.
///
/// Inside a transaction of the calling thread, everything is part of that transaction.
package struct IndexUpdater {
    private let database: Database
    private let names: [IndexName]
    private let cancellation: Cancellation?
    private let followsVersions: Bool

    /// How many seconds to wait before looking again whether another process has filled an index.
    private static let pause = 0.02

    /// - Parameters:
    ///   - names: in ascending order, each once.
    ///   - cancellation: ends the update after the current chunk.
    ///   - followsVersions: whether to go on if another version of an index is set during the update; if false, that
    ///     ends the update.
    package init(
        _ database: Database,
        _ names: [IndexName],
        cancellation: Cancellation? = nil,
        followsVersions: Bool = true
    ) {
        self.database = database
        self.names = names
        self.cancellation = cancellation
        self.followsVersions = followsVersions
    }

    /// - Throws: `notFound` (404) if there is no mapper, `superseded` (412), `readOnly` (403), `callback` (593) inside
    ///   `read`, `cancelled` (596), `inUse` (423), `full` (507).
    package func run() throws(StorageError) {
        let began = database.trace?.now
        try runUntraced()
        let traced = names.filter(\.kind.isTraced)
        if let trace = database.trace, let began, !traced.isEmpty {
            trace.viewsUpdated(traced.map { Array($0.string.utf8) }, began: began)
        }
    }

    private func runUntraced() throws(StorageError) {
        switch database.threadActivity {
        case .none:
            try inTurn(names[...])
            database.indexRegistry.dropOverlays(of: names)
        // The transaction of this thread blocks all writers, so waiting for one of them would never end.
        case .write: try update()
        // A mapper that waited for the update that runs it would not end either. `change` refuses this.
        case .snapshot, .closure: try database.change { _ in }
        }
    }

    private func inTurn(_ rest: ArraySlice<IndexName>) throws(StorageError) {
        guard let name = rest.first else { return try update() }
        try database.indexRegistry.turn(name).perform { () throws(StorageError) in try inTurn(rest.dropFirst()) }
    }

    private func update() throws(StorageError) {
        // A serial queue gets a thread as soon as it needs one.
        let queue = DispatchQueue(label: "settee.indexes.writer")
        var goal: UInt64?
        /// The versions of the indexes that needed an update.
        var versions: [IndexName: IndexVersion] = [:]
        /// The chunk that is being written while the next one is read and mapped.
        var pending: MappedChunk?
        defer { _ = try? pending?.wait() }
        while true {
            try cancellation?.check()
            let step = try database.withReadTransaction { (transaction) throws(StorageError) in
                try IndexStep(
                    names,
                    of: database,
                    in: transaction,
                    goal: goal,
                    expecting: pending?.lastSequences ?? [:]
                )
            }
            goal = step.goal
            if !followsVersions {
                for target in step.targets + step.unfilled {
                    if let known = versions[target.name], known != target.mapper.version { return }
                    versions[target.name] = target.mapper.version
                }
            }
            guard let chunk = step.chunk, !chunk.entries.isEmpty || pending == nil else {
                // Only the pending write is left, or an index has to be filled first.
                if let present = pending.take() {
                    _ = try present.wait()
                } else if step.unfilled.isEmpty {
                    return
                } else if database.isWriting {
                    try make(step.unfilled)
                } else if step.isFilledElsewhere {
                    Thread.sleep(forTimeInterval: IndexUpdater.pause)
                } else {
                    try FirstBuild(database, step.unfilled, cancellation).run()
                }
                continue
            }
            let mapped = try MappedChunk(database, chunk, step)
            // If another process was faster, this chunk is useless.
            if let present = pending.take(), try !present.wait() { continue }
            if database.isWriting || chunk.last >= step.goal {
                _ = try mapped.write()
            } else {
                mapped.startWriting(on: queue)
                pending = mapped
            }
        }
    }

    private func make(_ targets: [IndexTarget]) throws(StorageError) {
        try database.change { (session) throws(StorageError) in
            for target in targets { _ = try target.create(filler: nil, in: session, of: database) }
        }
    }
}
