internal import Dispatch
internal import StorageProtocol

/// The connections of an engine that read: in use, idle, and who waits for one. A plain value under the engine's lock.
///
/// A connection costs memory for its cache and two file descriptors, so there are at most so many. Who has one already
/// gets another at once, though there be more then: a thread that waited for itself would wait for ever.
struct ReaderPool {
    /// How many connections may be in use, but for those of threads that have one.
    let limit: Int
    private var inUse: [(connection: Connection, thread: ThreadIdentity)] = []
    private var idle: [Connection]
    /// Places that were given to threads which are opening a connection.
    private var opening = 0
    private var waiting: [WaitingReader] = []
    /// How many connections of the engine exist or are being opened, in use or not, the writer's among them.
    var connections: Int

    static let usualLimit = 64
    /// How many wait for work at most; each keeps its cache.
    static let mostIdle = 8

    init(_ first: Connection, connections: Int, limit: Int) {
        self.limit = limit
        self.connections = connections
        idle = [first]
    }

    enum Answer {
        case connection(Connection)
        /// The thread is to open one, and to call `didOpen` or `didNotOpen`.
        case place
        /// The thread is to wait, and to ask `answer(to:)` then.
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

    /// What a thread that has waited gets; nil: its time was over before its turn came.
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

    /// Takes a connection back. False: it is to be closed.
    ///
    /// - Parameter isUsable: whether another transaction may have it.
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

    /// Hands places that have become free to those who wait longest.
    private mutating func serveNext() {
        while !waiting.isEmpty, inUse.count + opening < limit {
            let reader = waiting.removeFirst()
            reader.answer = grant(reader.thread)
            reader.semaphore.signal()
        }
    }

    /// Has everybody who waits look again: the engine is closed. What is idle is the caller's to close.
    mutating func close() -> [Connection] {
        for reader in waiting { reader.semaphore.signal() }
        waiting = []
        defer { idle = [] }
        return idle
    }

    /// Has the statements of dropped indexes let go: at once, or when the connection comes back.
    mutating func forgetIndexes(_ numbers: [Int64]) {
        for connection in idle { for number in numbers { connection.forgetIndex(number) } }
        for (connection, _) in inUse { connection.droppedIndexes += numbers }
    }

    /// How many statements of indexes idle connections keep.
    var keptIndexStatements: Int { idle.reduce(0) { $0 + $1.keptIndexStatements } }
}

/// A thread that waits for a connection.
///
/// Unchecked Sendable: `answer` is touched under the engine's lock only.
final class WaitingReader: @unchecked Sendable {
    let thread: ThreadIdentity
    let semaphore = DispatchSemaphore(value: 0)
    var answer: ReaderPool.Answer?

    init(_ thread: ThreadIdentity) { self.thread = thread }
}
