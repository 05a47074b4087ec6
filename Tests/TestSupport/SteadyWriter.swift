internal import Foundation
package import Settee
internal import StorageProtocol
import Synchronization
internal import Testing

/// Updates a few documents again and again, one per commit, and sometimes the index of a view: the size of what is
/// stored stays the same.
package final class SteadyWriter: Sendable {
    package struct Figures {
        package var commits = 0
        /// The longest time that one commit took.
        package var slowest = Duration.zero
        /// The largest total size of the database's files, in bytes.
        package var mostBytes: UInt64 = 0
    }

    private static let documents = 50
    /// Of each document, in bytes.
    private static let text = JSONValue.string(String(repeating: "x", count: 16_000))

    private let state = Locked(Figures())
    private let isOver = Atomic(false)
    /// After how many commits it waits.
    private let allowed = Atomic(Int.max)

    package init() {}

    package var figures: Figures { state.withLock { $0 } }

    /// Writes until `stop` is called, or until this many commits.
    ///
    /// - Parameter first: the number `n` of the first document.
    package func run(_ database: Database, _ view: DatabaseView, first: Int, commits: Int = .max) throws {
        for turn in 0..<commits {
            while turn >= allowed.load(ordering: .relaxed), !isOver.load(ordering: .relaxed) {
                Thread.sleep(forTimeInterval: 0.001)
            }
            if isOver.load(ordering: .relaxed) { return }
            let number = turn % Self.documents
            let start = ContinuousClock.now
            try database["w\(number)"].update { document in
                document = ["n": JSONValue(first + number), "turn": JSONValue(turn), "text": Self.text]
            }
            let took = ContinuousClock.now - start
            if turn % 100 == 0 { try view.updateIndex() }
            let bytes = turn % 10 == 0 ? try database.files().values.reduce(0, +) : 0
            state.withLock { state in
                state.commits += 1
                state.slowest = max(state.slowest, took)
                state.mostBytes = max(state.mostBytes, bytes)
            }
        }
    }

    /// After this many commits it waits until more are allowed: an asynchronous test that waits for its turn among
    /// others for minutes would be written to for as long.
    package func allow(_ commits: Int) { allowed.store(commits, ordering: .relaxed) }

    package func stop() { isOver.store(true, ordering: .relaxed) }
}
