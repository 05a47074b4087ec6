internal import Dispatch
internal import StorageProtocol

/// An engine's reading connections, in use and idle, and the threads that wait for one. A plain value under the
/// engine's lock.
///
/// A connection costs memory for its cache and two file descriptors, so their number is limited. A thread that already
/// has one gets another at once, even above the limit: otherwise it would wait for itself forever.
struct ReaderPool {
    /// How many connections may be in use, except for those of threads that already have one.
    let limit: Int
    private var inUse: [(connection: Connection, thread: ThreadIdentity)] = []
    private var idle: [Connection]
    /// The number of threads that have a slot and are opening a connection.
    private var opening = 0
    private var waiting: [WaitingReader] = []
    /// How many connections of the engine exist or are being opened, in use or not, including the writer's.
    var connections: Int

    static let usualLimit = 64
    /// The maximum number of idle connections; each keeps its cache.
    static let mostIdle = 8

    init(_ first: Connection, connections: Int, limit: Int) {
        self.limit = limit
        self.connections = connections
        idle = [first]
    }

    enum Answer {
        case connection(Connection)
        /// The thread must open one, and then call `didOpen` or `didNotOpen`.
        case place
        /// The thread must wait, and then call `answer(to:)`.
        case wait(WaitingReader)
    }

    mutating func take(_ thread: ThreadIdentity) -> Answer {
        if inUse.count + opening < limit || inUse.contains(where: { $0.thread == thread }) {
            return grant(thread)
        }
        let reader = WaitingReader(thread)
        waiting.append(reader)
        return .wait(reader)
    }

    private mutating func grant(_ thread: ThreadIdentity) -> Answer {
        if let connection = idle.popLast() {
            inUse.append((connection, thread))
            return .connection(connection)
        }
        opening += 1
        connections += 1
        return .place
    }

    /// Returns what a thread that has waited gets; nil: its time was over before its turn came.
    mutating func answer(to reader: WaitingReader) -> Answer? {
        waiting.removeAll { $0 === reader }
        return reader.answer
    }

    mutating func didOpen(_ connection: Connection, _ thread: ThreadIdentity) {
        opening -= 1
        inUse.append((connection, thread))
    }

    mutating func didNotOpen() {
        opening -= 1
        serveNext()
    }

    /// Takes a connection back. Returns false if it must be closed.
    ///
    /// - Parameter isUsable: Whether another transaction may use it.
    mutating func give(_ connection: Connection, isUsable: Bool) -> Bool {
        if let place = inUse.firstIndex(where: { $0.connection === connection }) {
            inUse.swapAt(place, inUse.count - 1)
            inUse.removeLast()
        }
        let isKept = isUsable && idle.count < (waiting.isEmpty ? ReaderPool.mostIdle : limit)
        if isKept { idle.append(connection) }
        serveNext()
        return isKept
    }

    /// Gives free slots to the threads that have waited longest.
    private mutating func serveNext() {
        while !waiting.isEmpty, inUse.count + opening < limit {
            let reader = waiting.removeFirst()
            reader.answer = grant(reader.thread)
            reader.semaphore.signal()
        }
    }

    /// Wakes all waiting threads, because the engine is closed. Returns the idle connections, which the caller must
    /// close.
    mutating func close() -> [Connection] {
        for reader in waiting { reader.semaphore.signal() }
        waiting = []
        defer { idle = [] }
        return idle
    }

    /// Discards the statements of dropped indexes: at once, or when the connection comes back.
    mutating func forgetIndexes(_ numbers: [Int64]) {
        for connection in idle { for number in numbers { connection.forgetIndex(number) } }
        for (connection, _) in inUse { connection.droppedIndexes += numbers }
    }

    /// How many statements of indexes are kept by idle connections.
    var keptIndexStatements: Int { idle.reduce(0) { $0 + $1.keptIndexStatements } }
}

/// A thread that waits for a connection.
///
/// Unchecked Sendable: `answer` is only accessed under the engine's lock.
final class WaitingReader: @unchecked Sendable {
    let thread: ThreadIdentity
    let semaphore = DispatchSemaphore(value: 0)
    var answer: ReaderPool.Answer?

    init(_ thread: ThreadIdentity) { self.thread = thread }
}
