internal import CSetteeSQLiteAPI
package import StorageProtocol

/// A connection to a database file, with its prepared statements.
///
/// Unchecked Sendable: it is used by one transaction at a time and passed from one to the next under the engine's lock,
/// or by `BackgroundCheckpoint` on its serial queue.
@safe
package final class Connection: @unchecked Sendable {
    let library: SQLiteLibrary
    let api: UnsafePointer<SQLiteAPI>
    let handle: OpaquePointer
    /// The kept statement for each text that belongs to no index; nil: not prepared yet, or in use.
    private var kept: [Statement?]
    private var keptOfIndexes: [Query: Statement] = [:]
    /// The schema version in the file's header when a snapshot was last held.
    private var schemaVersion: Int64?
    private var isOpen = true
    /// The number of frames in the log after a commit, written by SQLite's hook.
    private let frames: UnsafeMutablePointer<Int32>
    /// The rows of the table `settee_feed`.
    private let feed: UnsafeMutablePointer<SQLiteFeed>
    /// What the function `settee_passes` asks at present; nil: the connection has no such function yet.
    private var asked: UnsafeMutablePointer<SQLiteRowTest>?

    /// A file that is reached through a symbolic link is not opened.
    ///
    /// - Parameter target: A path without links, or a URI if `flags` contain `sqlite_open_uri`.
    package init(_ target: String, flags: Int32, library: SQLiteLibrary) throws(StorageError) {
        let api = unsafe library.api
        var opened: OpaquePointer?
        let code = unsafe sqlite_open(api, target, flags | sqlite_open_nomutex | sqlite_open_nofollow, &opened)
        guard code == 0, let handle = unsafe opened else {
            var failure = SQLiteFailure(
                code: code,
                systemError: 0,
                text: unsafe String(cString: sqlite_errstr(api, code))
            )
            if let handle = unsafe opened {
                unsafe failure.systemError = sqlite_system_errno(api, handle)
                unsafe _ = sqlite_close(api, handle)
            }
            throw failure.error("Opening the database file")
        }
        self.library = library
        unsafe self.api = api
        unsafe self.handle = handle
        unsafe frames = .allocate(capacity: 1)
        unsafe frames.initialize(to: 0)
        unsafe feed = .allocate(capacity: 1)
        unsafe feed.initialize(to: SQLiteFeed())
        kept = Array(repeating: nil, count: Query.fixedCount)
        unsafe sqlite_use_extended_codes(api, handle)
        unsafe sqlite_configure(api, handle, sqlite_dbconfig_enable_trigger, 0)
        unsafe sqlite_configure(api, handle, sqlite_dbconfig_trusted_schema, 0)
        unsafe sqlite_watch_log(api, handle, frames)
    }

    deinit {
        close()
        unsafe frames.deallocate()
        unsafe feed.deallocate()
        unsafe asked?.deallocate()
    }

    /// Closes the connection and all its statements. A second call does nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        for case let statement? in kept { statement.finalize() }
        for statement in keptOfIndexes.values { statement.finalize() }
        unsafe _ = sqlite_close_v2(api, handle)
    }

    // MARK: Statements

    /// Returns a statement for `query`, and prepares it if none is available: if an outer operation is using it, a
    /// second copy is made.
    @inline(__always)
    func take(_ query: Query) throws(StorageError) -> Statement {
        if query.index == 0, let statement = kept[query.slot] {
            kept[query.slot] = nil
            return statement
        }
        return try takeSlowly(query)
    }

    private func takeSlowly(_ query: Query) throws(StorageError) -> Statement {
        if query.index != 0, let statement = keptOfIndexes.removeValue(forKey: query) { return statement }
        return unsafe Statement(pointer: try prepare(query.text), api: api, query: query)
    }

    /// Ends the use of a statement: resets and keeps it, or finalizes it if a copy is already kept.
    @inline(__always)
    func give(_ statement: Statement) {
        statement.reset()
        if statement.query.index == 0, kept[statement.query.slot] == nil {
            kept[statement.query.slot] = statement
        } else {
            giveSlowly(statement)
        }
    }

    private func giveSlowly(_ statement: Statement) {
        if statement.query.index != 0, keptOfIndexes[statement.query] == nil {
            keptOfIndexes[statement.query] = statement
        } else {
            statement.finalize()
        }
    }

    /// Begins a snapshot.
    ///
    /// - Returns: The statement that holds it until it is given back.
    func holdSnapshot() throws(StorageError) -> Statement {
        let statement = try take(Query(.schemaVersion))
        guard statement.step() == true else {
            let failure = failure()
            give(statement)
            throw failure.error("Beginning a snapshot")
        }
        let version = statement.integer(0)
        if version != schemaVersion {
            // Indexes have been created or dropped. The remaining statements would have to be prepared again in any
            // case.
            forgetIndexes()
            schemaVersion = version
        }
        return statement
    }

    /// Indexes that were dropped while a reader had this connection. Accessed under the engine's lock.
    var droppedIndexes: [Int64] = []

    /// How many statements of indexes are kept.
    var keptIndexStatements: Int { keptOfIndexes.count }

    /// Discards the statements of an index whose tables are, or are about to be, dropped.
    func forgetIndex(_ number: Int64) {
        for (query, statement) in keptOfIndexes where query.index == number {
            statement.finalize()
            keptOfIndexes[query] = nil
        }
    }

    private func forgetIndexes() {
        for statement in keptOfIndexes.values { statement.finalize() }
        keptOfIndexes.removeAll()
    }

    private func prepare(_ sql: String) throws(StorageError) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = unsafe sqlite_prepare(api, handle, sql, &statement)
        guard code == 0, let statement = unsafe statement else {
            // The texts are ours, so only a wrong schema can make one invalid.
            if code & 0xFF == sqlite_error, !isEncrypted {
                throw .corrupt("The database file lacks a table or column", cause: failure())
            }
            throw readFailure()
        }
        return unsafe statement
    }

    // MARK: Calls

    /// Returns the connection's last failure.
    ///
    /// - Parameter isOfExecution: Whether `sqlite_exec` or `sqlite_attach_with_key` has failed, which set errno to 0
    ///   before. Of a file that could not be attached nothing else is known.
    func failure(isOfExecution: Bool = false) -> SQLiteFailure {
        let code = unsafe sqlite_extended_errcode(api, handle)
        var number = unsafe sqlite_system_errno(api, handle)
        if [sqlite_corrupt, sqlite_notadb].contains(code & 0xFF) {
            let noted = unsafe sqlite_errno_of_files(api, handle)
            if noted != 0 || !isOfExecution { number = noted }
        }
        return SQLiteFailure(
            code: code,
            systemError: number,
            text: unsafe String(cString: sqlite_errstr(api, code))
        )
    }

    /// Runs SQL whose rows, if any, are ignored.
    package func execute(_ sql: String, _ doing: String = "Setting up the database") throws(StorageError) {
        guard unsafe sqlite_exec(api, handle, sql) == 0 else { throw failure(isOfExecution: true).error(doing) }
    }

    /// Runs a kept statement without parameters that yields no rows.
    @inline(__always)
    func run(_ query: Query.Fixed, _ doing: String) throws(StorageError) {
        let statement = try take(Query(query))
        defer { give(statement) }
        guard statement.step() != nil else { throw failure().error(doing) }
    }

    /// Returns all rows of SQL that is run once, first column as text.
    package func values(_ sql: String, _ doing: String = "Reading the database") throws(StorageError) -> [String] {
        let statement = unsafe Statement(pointer: try prepare(sql), api: api, query: Query(.begin))
        defer { statement.finalize() }
        var values: [String] = []
        while let more = statement.step() {
            if !more { return values }
            values.append(statement.anyText(0))
        }
        throw failure().error(doing)
    }

    /// Returns the one number that SQL yields; 0 if it yields none.
    package func number(_ sql: String) throws(StorageError) -> Int64 { Int64(try values(sql).first ?? "") ?? 0 }

    /// What is known of the state in the connection's snapshot, which must have begun. Nil if nothing is kept, because
    /// the library does not tell whether the file has changed.
    var known: KnownState? {
        get {
            guard let version = versionOfAll else { return nil }
            return lastKnown?.version == version ? lastKnown : KnownState(version: version)
        }
        set { lastKnown = newValue }
    }
    private var lastKnown: KnownState?

    /// Whether the page cache is kept from growing; see `beginWalk`.
    var isWalking = false

    /// What the last write transaction of this connection has left; see `WriterMemory`.
    var memory: WriterMemory?

    /// Tells whether the file has changed since. Read in a write transaction. Nil if the library does not provide it.
    var dataVersion: DataVersion? {
        if let version = versionOfAll { return .ofAll(version) }
        guard let statement = try? take(Query(.dataVersion)) else { return nil }
        defer { give(statement) }
        return statement.step() == true ? .ofOthers(statement.integer(0)) : nil
    }

    /// Returns the same after a commit.
    ///
    /// - Parameter begun: Its value in the transaction.
    func dataVersion(after begun: DataVersion?) -> DataVersion? {
        if case .ofOthers = begun { return begun }
        return versionOfAll.map { .ofAll($0) }
    }

    private var versionOfAll: UInt32? {
        var version: UInt32 = 0
        return unsafe sqlite_data_version(api, handle, &version) ? version : nil
    }

    var isInTransaction: Bool { unsafe sqlite_get_autocommit(api, handle) == 0 }
    var lastInsertedRow: Int64 { unsafe sqlite_last_insert_rowid(api, handle) }
    /// How many rows the last statement changed.
    var changes: Int32 { unsafe sqlite_changes(api, handle) }

    func setBusyTimeout(milliseconds: Int32) { unsafe sqlite_busy_timeout(api, handle, milliseconds) }

    // MARK: Many rows at once

    /// Gives the connection the table `settee_feed`, which `run(_:feeding:)` fills.
    func addFeed() throws(StorageError) {
        guard unsafe sqlite_add_feed(api, handle, feed) == 0 else { throw failure().error("Setting up the database") }
    }

    /// Runs a statement that inserts the rows of `settee_feed`, which are the first `count` rows of `cells`.
    func run(_ statement: Statement, feeding cells: borrowing RowCells, _ count: Int) throws(StorageError) {
        let isDone = unsafe cells.withCells { (first) -> Bool in
            unsafe feed.pointee.cells = first
            unsafe feed.pointee.columns = Int32(cells.columns)
            unsafe feed.pointee.count = Int32(count)
            return statement.step() != nil
        }
        unsafe feed.pointee.count = 0
        guard isDone else { throw failure().error("Writing to the database") }
        // A table of the file would hide ours.
        guard changes == count else { throw .corrupt("The database file has a table of a name that is not its own") }
    }

    // MARK: Tests of rows

    /// Has the function `settee_passes` ask a test, until `endTest` is called with what this returns.
    func beginTest(_ test: RowTest) throws(StorageError) -> SQLiteRowTest {
        let asked: UnsafeMutablePointer<SQLiteRowTest>
        if let present = unsafe self.asked {
            unsafe asked = present
        } else {
            unsafe asked = .allocate(capacity: 1)
            unsafe asked.initialize(to: SQLiteRowTest())
            guard unsafe sqlite_add_row_test(api, handle, asked) == 0 else {
                unsafe asked.deallocate()
                throw failure().error("Setting up a test of documents")
            }
            unsafe self.asked = asked
        }
        let outer = unsafe asked.pointee
        unsafe asked.pointee = unsafe SQLiteRowTest(test)
        return unsafe outer
    }

    func endTest(_ outer: SQLiteRowTest) { unsafe asked?.pointee = outer }

    // MARK: Encrypted files

    /// Whether the file has a key.
    private(set) var isEncrypted = false
    /// How many pages had been read from the file at the last successful check.
    private var missesSeen: Int32 = 0

    /// Checks that all pages that a statement has read since the last call were as they were written.
    ///
    /// SQLCipher returns zeros for a page whose code is wrong, and makes the *next* request for a page fail, until the
    /// transaction ends. There is no such request for the last page of a long value, so this makes one, if any pages
    /// were read.
    ///
    /// - Throws: `corrupt` (591) if one was not.
    @inline(__always)
    func checkPagesRead() throws(StorageError) {
        guard isEncrypted, unsafe sqlite_page_misses(api, handle) != missesSeen else { return }
        try requestPage()
    }

    private func requestPage() throws(StorageError) {
        let statement = try take(Query(.page))
        defer { give(statement) }
        guard statement.step() != nil else { throw readFailure() }
        missesSeen = unsafe sqlite_page_misses(api, handle)
    }

    /// The same for an attached file.
    func checkPagesRead(of schema: String) throws(StorageError) {
        guard isEncrypted else { return }
        guard unsafe sqlite_exec(api, handle, "SELECT one FROM \(schema).counters") == 0 else { throw readFailure() }
    }

    /// Returns the error for a failed read.
    func readFailure() -> StorageError {
        let failure = failure()
        // SQLCipher reports this for a page whose code is wrong.
        guard isEncrypted, failure.code & 0xFF == sqlite_error else { return failure.error("Reading the database") }
        return .corrupt("A page of the database file is not as it was written", cause: failure)
    }

    /// Gives the connection, which must not have read anything yet, the key of its file's pages: 32 bytes.
    package func setKey(_ key: RawSpan) throws(StorageError) {
        let code = unsafe key.withUnsafeBytes { key -> Int32 in
            guard key.count == sqlite_key_length, let key = key.baseAddress else { return sqlite_misuse }
            return unsafe sqlite_set_key(api, handle, key)
        }
        if code != 0 { throw failure().error("Giving the key of the database file") }
        isEncrypted = true
        try refuseEmptyPages("main")
    }

    /// Attaches a file whose pages have this key.
    package func attach(_ uri: String, as schema: String, key: RawSpan) throws(StorageError) {
        func attempt() -> Int32 {
            unsafe key.withUnsafeBytes { key -> Int32 in
                guard key.count == sqlite_key_length, let key = key.baseAddress else { return sqlite_misuse }
                return unsafe sqlite_attach_with_key(api, handle, uri, schema, key)
            }
        }
        var code = attempt()
        // SQLCipher goes on with another salt where it cannot read the file's, and then every page seems foreign. If it
        // still cannot, the second attempt ends with an error of the disk.
        if code & 0xFF == sqlite_notadb { code = attempt() }
        if code != 0 { throw failure(isOfExecution: true).error("Attaching a database file") }
        try refuseEmptyPages(schema)
    }

    private func refuseEmptyPages(_ schema: String) throws(StorageError) {
        guard unsafe sqlite_refuse_empty_pages(api, handle, schema) == 0 else {
            throw failure().error("Opening the database file")
        }
    }

    /// Runs `body` on one state of the file.
    package func withSnapshot(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        let snapshot = try holdSnapshot()
        defer { give(snapshot) }
        try body()
    }

    /// The length of the database file in bytes; nil if it is unknown.
    package var fileLength: UInt64? { UInt64(exactly: unsafe sqlite_file_length(api, handle)) }

    /// The number of committed frames in the log. The connection must be reading.
    package var committedFrames: UInt32 { unsafe sqlite_frames_of_log(api, handle) }

    /// Returns bytes of the database file unchanged. Nil if it is shorter, or contains only zeros there.
    package func bytesOfFile(_ count: Int, at offset: UInt64) -> [UInt8]? {
        guard let offset = Int64(exactly: offset), let length = Int32(exactly: count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let isRead = unsafe bytes.withUnsafeMutableBytes { bytes -> Bool in
            guard let start = bytes.baseAddress else { return false }
            return unsafe sqlite_read_file(api, handle, start, length, offset)
        }
        return isRead ? bytes : nil
    }

    /// Returns bytes of the log. Nil if it is shorter.
    package func bytesOfLog(_ count: Int, at offset: UInt64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe bytes.withUnsafeMutableBytes { unsafe readLog($0, at: offset) } ? bytes : nil
    }

    // MARK: The log

    /// Whether the file is written through a log, as of this connection's last read.
    func hasLog() throws(StorageError) -> Bool { try values("PRAGMA journal_mode") == ["wal"] }

    /// The number of frames in the log after this connection's last commit.
    var framesInLog: Int32 {
        get { unsafe frames.pointee }
        set { unsafe frames.pointee = newValue }
    }

    /// The number after the previous commit.
    var framesBefore: Int32 = 0
    /// The number when the log was last moved into the file.
    var framesMoved: Int32 = 0

    enum CheckpointMode: Int32 {
        case passive = 0
        case truncate = 3
    }

    /// The frames of the log as a checkpoint has seen them, and how many of them are in the file.
    struct CheckpointResult {
        var frames: Int32 = 0
        var moved: Int32 = 0
        /// Whether another checkpoint, or a reader or writer that a truncation needs away, kept it from finishing.
        var isHeldUp = false
    }

    /// Moves the log into the file, as far as readers allow.
    @discardableResult
    func checkpoint(_ mode: CheckpointMode) throws(StorageError) -> CheckpointResult {
        var result = CheckpointResult()
        let code = unsafe sqlite_checkpoint(api, handle, mode.rawValue, &result.frames, &result.moved)
        let primary = code & 0xFF
        result.isHeldUp = primary == sqlite_busy || primary == sqlite_locked
        guard code == 0 || result.isHeldUp else { throw failure().error("Moving the log into the database file") }
        return result
    }

    /// Makes everything committed to the log, by any process, survive power loss, even while there are readers. The
    /// connection must have read before.
    func syncLog() throws(StorageError) {
        let code = unsafe sqlite_sync_log(api, handle)
        if code == 0 { return }
        let failure = SQLiteFailure(
            code: code,
            systemError: unsafe sqlite_system_errno(api, handle),
            text: unsafe String(cString: sqlite_errstr(api, code))
        )
        throw failure.error("Syncing the database's log")
    }

    /// Fills `bytes` from the log. Returns false if it is shorter.
    func readLog(_ bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
        guard let start = bytes.baseAddress, let count = Int32(exactly: bytes.count) else { return false }
        guard let offset = Int64(exactly: offset) else { return false }
        return unsafe sqlite_read_log(api, handle, start, count, offset)
    }

    // MARK: Progress

    /// Runs SQL. `watch` is called from time to time on this thread, and stops it by returning false.
    func execute(_ sql: String, _ doing: String, watch: () -> Bool) throws(StorageError) {
        try withoutActuallyEscaping(watch) { (watch) throws(StorageError) in
            let box = Watch(watch)
            unsafe sqlite_progress_handler(
                api,
                handle,
                100_000,
                { context in
                    guard let context = unsafe context else { return 0 }
                    return unsafe Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().call() ? 0 : 1
                },
                Unmanaged.passUnretained(box).toOpaque()
            )
            defer { unsafe sqlite_progress_handler(api, handle, 0, nil, nil) }
            try execute(sql, doing)
        }
    }

    private final class Watch {
        let call: () -> Bool
        init(_ call: @escaping () -> Bool) { self.call = call }
    }
}
