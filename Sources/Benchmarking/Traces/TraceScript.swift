internal import StorageProtocol

/// The operations of a trace in the order in which one thread can do them: a transaction or snapshot with everything
/// that its thread did in it, at the place of its end. Transactions of a database keep the order of their commits.
struct TraceScript: Sendable {
    enum Step: Sendable {
        /// The index of an event.
        case operation(Int)
        case transaction(database: Int, [Step], commits: Bool)
        case snapshot(database: Int, [Step])
    }

    private struct Frame {
        var isTransaction: Bool
        var steps: [Step] = []
    }

    private struct Place: Hashable {
        var database: Int
        var thread: Int
    }

    private(set) var steps: [Step] = []
    /// How many events had no place: ends without beginnings, and what was in progress where the trace ends.
    private(set) var leftOut = 0
    /// Snapshots inside each other, and in a transaction.
    private static let deepest = 64

    /// - Throws: `badRequest` (400) for snapshots in each other, more than any program has.
    init(_ events: [TraceEvent]) throws(StorageError) {
        var open: [Place: [Frame]] = [:]
        for (index, event) in events.enumerated() {
            let place = Place(database: event.database, thread: event.thread)
            switch event.operation {
            case .begin, .snapshot:
                guard open[place]?.count ?? 0 < TraceScript.deepest else {
                    throw StorageError(.badRequest, "The trace has too many snapshots inside each other.")
                }
                open[place, default: []].append(Frame(isTransaction: event.operation == .begin))
            case .commit, .rollback, .snapshotEnd:
                let isTransaction = event.operation != .snapshotEnd
                guard let frame = open[place]?.last, frame.isTransaction == isTransaction else {
                    leftOut += 1
                    continue
                }
                open[place]?.removeLast()
                let step: Step =
                    isTransaction
                    ? .transaction(database: event.database, frame.steps, commits: event.operation == .commit)
                    : .snapshot(database: event.database, frame.steps)
                add(step, to: &open[place])
            default:
                add(.operation(index), to: &open[place])
            }
        }
        // No commit is known of these.
        leftOut += open.values.joined().reduce(0) { $0 + 1 + $1.steps.count }
    }

    private mutating func add(_ step: Step, to frames: inout [Frame]?) {
        guard let last = frames?.indices.last else { return steps.append(step) }
        frames?[last].steps.append(step)
    }
}
