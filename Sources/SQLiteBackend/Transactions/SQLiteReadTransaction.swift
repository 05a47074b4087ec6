internal import StorageProtocol

/// A snapshot, and the superclass of the write transaction.
///
/// A snapshot that begins at once is held by a statement that only reads the file's header and stays active for some
/// operations. A snapshot that may begin with its first read is held by the statement of that read, which stays active.
/// At a second operation, BEGIN is sent while the first statement is still active, and from then on SQLite's own
/// transaction holds the snapshot.
class SQLiteReadTransaction: ReadTransaction {
    final let engine: SQLiteEngine
    final let connection: Connection
    final private var snapshot: Snapshot
    /// How many nested closures of this transaction are running.
    final private(set) var runningClosures = 0
    final private(set) var isOver = false
    /// Whether this is the write transaction.
    final let isWriter: Bool
    /// The record that the write transaction looked up or wrote last.
    final var latest: KnownRecord?
    private final let thread = ThreadIdentity.current

    private enum Snapshot {
        case none
        /// Held open by this statement, which stands at a row; `inUse` while its operation runs.
        case statement(Statement, inUse: Bool)
        case transaction
        /// Held by this statement, which belongs to no operation, with the number of operations so far.
        case header(Statement, operations: Int)
    }

    /// A query of more records than this is a walk.
    static let fewRecords = 512

    /// After this many operations, BEGIN is cheaper than the cost at the end of each one if SQLite commits
    /// automatically.
    private static let operationsBeforeBegin = 4

    init(_ engine: SQLiteEngine, _ connection: Connection) {
        self.engine = engine
        self.connection = connection
        isWriter = false
        snapshot = .none
    }

    /// Begins a snapshot at once.
    init(atOnce engine: SQLiteEngine, _ connection: Connection) throws(StorageError) {
        self.engine = engine
        self.connection = connection
        isWriter = false
        snapshot = .none
        do {
            snapshot = .header(try connection.holdSnapshot(), operations: 0)
        } catch {
            finish()
            throw error
        }
    }

    /// For the write transaction, which SQLite has begun.
    init(begun engine: SQLiteEngine, _ connection: Connection) {
        self.engine = engine
        self.connection = connection
        isWriter = true
        snapshot = .transaction
    }

    deinit { finish() }

    func end() { finish() }

    /// Ends the transaction. If one of its closures is running, its statements are released when that returns.
    final func finish() {
        guard !isOver else { return }
        isOver = true
        if runningClosures == 0 { release() }
    }

    /// Gives the connection back. Called once, when no closure is running.
    func release() {
        endSnapshot()
        engine.giveReader(connection)
    }

    /// Ends whatever holds the snapshot.
    final func endSnapshot() {
        switch snapshot {
        case .none: break
        case .statement(let statement, _), .header(let statement, _): connection.give(statement)
        case .transaction:
            if connection.isInTransaction {
                // Nothing was written, so this cannot fail in a way that matters.
                try? connection.run(.commit, "Ending a snapshot")
            }
        }
        snapshot = .none
    }

    /// Called before every operation. The write transaction writes out its deferred changes here.
    func prepareToRead() throws(StorageError) {}

    /// Called with every error of SQLite.
    func didFail(_ error: StorageError) {}

    /// Throws if the transaction cannot be used: after its end or the engine's, or from another thread.
    @inline(__always)
    final func check() throws(StorageError) {
        if isOver { throw .transactionIsOver }
        try engine.checkOpen()
        if thread != ThreadIdentity.current { throw .wrongThread }
    }

    // MARK: What the write transaction answers in its own way

    func counters() throws(StorageError) -> StoreCounters {
        try check()
        if let counters = knownState?.counters { return counters }
        let counters = try readCounters()
        knownState?.counters = counters
        return counters
    }

    /// What the connection knows of the state that this snapshot shows; nil: nothing is kept. A write transaction
    /// changes its state.
    final var knownState: KnownState? {
        get {
            if isWriter { return nil }
            if case .none = snapshot { return nil }
            return connection.known
        }
        set { if newValue != nil { connection.known = newValue } }
    }

    func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        return try recordNow(id, fields, body)
    }

    func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try lookUp(ids, fields, body)
    }

    // MARK: Operations

    /// Runs a query of one row, which always exists. `read` gets the statement at its row.
    @inline(__always)
    final func row<R>(
        _ query: Query,
        _ bind: (Statement) -> Void,
        _ read: (Statement) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try check()
        try prepareToRead()
        return try rowNow(query, bind, read)
    }

    /// Like `row`, without the checks at the beginning.
    @inline(__always)
    final func rowNow<R>(
        _ query: Query,
        _ bind: (Statement) -> Void,
        _ read: (Statement) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var holds = false
        switch snapshot {
        case .none: holds = true
        case .statement, .header: try beginTransaction()
        case .transaction: break
        }
        let statement = try connection.take(query)
        bind(statement)
        guard let hasRow = statement.step() else {
            let error = connection.readFailure()
            connection.give(statement)
            didFail(error)
            throw error
        }
        do {
            try connection.checkPagesRead()
        } catch {
            connection.give(statement)
            didFail(error)
            throw error
        }
        guard hasRow else {
            connection.give(statement)
            throw .corrupt("A row that must be there is missing")
        }
        if holds { snapshot = .statement(statement, inUse: true) }
        runningClosures += 1
        defer { leave(statement, holds) }
        return try read(statement)
    }

    private func leave(_ statement: Statement, _ holds: Bool) {
        runningClosures -= 1
        if holds, case .statement = snapshot {
            snapshot = .statement(statement, inUse: false)
        } else {
            connection.give(statement)
        }
        if isOver && runningClosures == 0 { release() }
    }

    /// Runs a query of many rows; `read` gets the statement at each, until it returns false.
    ///
    /// - Parameters:
    ///   - test: what `settee_passes` in the query asks. Its failure ends the query.
    ///   - limit: after this many rows the query is a walk, which leaves the page cache alone.
    final func rows(
        _ query: Query,
        passing test: RowTest? = nil,
        isWalkAfter limit: Int = .max,
        _ bind: (Statement) -> Void,
        _ read: (Statement) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try prepareToRead()
        try beginTransaction()
        let outer = unsafe try test.map { (test) throws(StorageError) in unsafe try connection.beginTest(test) }
        defer { if isOver && runningClosures == 0 { release() } }
        defer { if let outer = unsafe outer { unsafe connection.endTest(outer) } }
        let statement = try connection.take(query)
        runningClosures += 1
        defer {
            runningClosures -= 1
            connection.give(statement)
        }
        bind(statement)
        var passed = 0
        var isWalk = false
        defer { if isWalk { connection.endWalk() } }
        while true {
            if passed == limit, !isWriter { isWalk = connection.beginWalk() }
            passed += 1
            guard let hasRow = statement.step() else {
                if let failure = test?.failure { throw failure }
                let error = connection.readFailure()
                didFail(error)
                throw error
            }
            do {
                try connection.checkPagesRead()
            } catch {
                didFail(error)
                throw error
            }
            guard hasRow, try read(statement) else { return }
            if isOver { throw .transactionIsOver }
        }
    }

    /// Makes SQLite's own transaction hold the snapshot from here on.
    private func beginTransaction() throws(StorageError) {
        switch snapshot {
        case .transaction: return
        case .header(let statement, let operations) where operations < SQLiteReadTransaction.operationsBeforeBegin:
            snapshot = .header(statement, operations: operations + 1)
            return
        case .none, .statement, .header: break
        }
        try connection.run(.begin, "Beginning a snapshot")
        switch snapshot {
        case .statement(let statement, inUse: false), .header(let statement, _): connection.give(statement)
        case .none, .statement, .transaction: break
        }
        snapshot = .transaction
    }
}
