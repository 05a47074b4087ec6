internal import Dispatch
internal import Foundation
internal import SetteeEngine
internal import StorageProtocol

/// Brings the indexes of views up to date: reads documents chunk by chunk, each on a snapshot of its own, maps them,
/// and writes the rows of a chunk in a transaction of its own, while the next one is read and mapped.
///
/// Inside a transaction of the calling thread all that is part of it.
struct IndexUpdater {
    let database: Database
    private let names: [ViewName]
    let cancellation: Cancellation?
    private let followsVersions: Bool

    /// How many seconds to wait before looking again whether another process has filled an index.
    private static let pause = 0.02

    /// - Parameters:
    ///   - names: in ascending order, each once.
    ///   - cancellation: ends it after the present chunk.
    ///   - followsVersions: whether a view that is set anew meanwhile is indexed anew; else that ends the update.
    init(
        _ database: Database,
        _ names: [ViewName],
        cancellation: Cancellation? = nil,
        followsVersions: Bool = true
    ) {
        self.database = database
        self.names = names
        self.cancellation = cancellation
        self.followsVersions = followsVersions
    }

    func run() throws(StorageError) {
        switch database.threadActivity {
        case .none: try inTurn(names[...])
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
        // A serial queue has a thread as soon as it needs one.
        let queue = DispatchQueue(label: "settee.views.writer")
        var goal: UInt64?
        /// Of the views that were seen to need it.
        var versions: [ViewName: ViewVersion] = [:]
        /// What is being written while the next chunk is read and mapped.
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
                    if let known = versions[target.name], known != target.function.version { return }
                    versions[target.name] = target.function.version
                }
            }
            guard let chunk = step.chunk, !chunk.entries.isEmpty || pending == nil else {
                // Nothing is left but what is being written, or an index has to be filled first.
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
            let mapped = MappedChunk(database, chunk, step)
            // Where another process was quicker, this chunk is of no use.
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
