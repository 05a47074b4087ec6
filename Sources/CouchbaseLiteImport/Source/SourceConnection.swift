internal import CSetteeSQLiteAPI
internal import SetteeSQLite
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A connection to the private copy of an old database's file. It only uses rowids and indexes without Couchbase Lite's
/// own collations, so that it needs no such collation and no order depends on one.
@safe
final class SourceConnection {
    /// The folder of the private copy.
    let folder: String
    private let api: UnsafePointer<SQLiteAPI>
    private let handle: OpaquePointer
    private var statements: [String: KeptStatement] = [:]
    /// The SQL of cached statements in use.
    private var busy: Set<String> = []

    /// - Parameters:
    ///   - key: 32 bytes; nil: the file is not encrypted.
    ///   - pageSize: the page size of an encrypted file, which is not readable in the file.
    init(
        _ path: String,
        library: SQLiteLibrary,
        key: StorageKey? = nil,
        pageSize: Int = 1024
    ) throws(StorageError) {
        let api = unsafe library.api
        var opened: OpaquePointer?
        let flags = sqlite_open_readwrite | sqlite_open_nomutex | sqlite_open_nofollow
        let code = unsafe sqlite_open(api, path, flags, &opened)
        guard code == 0, let handle = unsafe opened else {
            let error = SourceConnection.error(code, unsafe opened.map { unsafe sqlite_system_errno(api, $0) } ?? errno)
            if let handle = unsafe opened { unsafe _ = sqlite_close(api, handle) }
            throw error
        }
        folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        unsafe self.api = api
        unsafe self.handle = handle
        unsafe sqlite_use_extended_codes(api, handle)
        unsafe sqlite_configure(api, handle, sqlite_dbconfig_enable_trigger, 0)
        unsafe sqlite_configure(api, handle, sqlite_dbconfig_trusted_schema, 0)
        if let key { try unlock(key, pageSize) }
    }

    deinit {
        for statement in statements.values { unsafe _ = sqlite_finalize(api, statement.pointer) }
        unsafe _ = sqlite_close_v2(api, handle)
    }

    private func unlock(_ key: StorageKey, _ pageSize: Int) throws(StorageError) {
        let code = key.withBytes { span in
            unsafe span.withUnsafeBytes { bytes -> Int32 in
                guard bytes.count == sqlite_key_length, let start = bytes.baseAddress else { return sqlite_misuse }
                return unsafe sqlite_set_key(api, handle, start)
            }
        }
        guard code == 0 else { throw SourceConnection.error(code, 0) }
        var version = ""
        try rows("PRAGMA cipher_version") { (row) throws(StorageError) in
            version = row.text(0) ?? ""
            return false
        }
        guard !version.isEmpty else {
            throw StorageError(.notImplemented, "The library libsqlcipher that is installed does not encrypt.")
        }
        // The settings of SQLCipher 3, whatever the library's defaults are.
        var settings = ["cipher_page_size = \(pageSize)", "cipher_use_hmac = 1"]
        if !version.hasPrefix("3.") {
            settings += ["cipher_hmac_algorithm = HMAC_SHA1", "cipher_kdf_algorithm = PBKDF2_HMAC_SHA1"]
        }
        for setting in settings { try execute("PRAGMA \(setting)") }
    }

    func execute(_ sql: String) throws(StorageError) {
        let code = unsafe sqlite_exec(api, handle, sql)
        guard code == 0 else { throw failure() }
    }

    // MARK: - Rows

    /// Passes the rows of a query to `body` until it returns false.
    ///
    /// - Parameter numbers: parameters 1, 2, ...
    /// - Throws: `corrupt` (591) if the file is damaged.
    func rows(
        _ sql: String,
        _ numbers: Int64...,
        body: (SourceRow) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let statement = unsafe try take(sql)
        defer { unsafe give(statement, sql) }
        for (index, number) in numbers.enumerated() {
            unsafe _ = sqlite_bind_int64(api, statement, Int32(truncatingIfNeeded: index + 1), number)
        }
        while true {
            switch unsafe sqlite_step(api, statement) {
            case sqlite_row:
                guard try unsafe body(SourceRow(api, statement)) else { return }
            case sqlite_done: return
            default: throw failure()
            }
        }
    }

    /// Returns a statement for an SQL text; a second one if the first is in use.
    private func take(_ sql: String) throws(StorageError) -> OpaquePointer {
        if !busy.contains(sql), let kept = statements[sql] {
            busy.insert(sql)
            return unsafe kept.pointer
        }
        var statement: OpaquePointer?
        guard unsafe sqlite_prepare(api, handle, sql, &statement) == 0, let statement = unsafe statement else {
            throw failure()
        }
        if statements[sql] == nil {
            statements[sql] = unsafe KeptStatement(statement)
            busy.insert(sql)
        }
        return unsafe statement
    }

    private func give(_ statement: OpaquePointer, _ sql: String) {
        if unsafe statements[sql]?.pointer == statement {
            unsafe _ = sqlite_reset(api, statement)
            busy.remove(sql)
        } else {
            unsafe _ = sqlite_finalize(api, statement)
        }
    }

    @safe
    private struct KeptStatement {
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }
    }

    // MARK: - Failures

    private func failure() -> StorageError {
        let code = unsafe sqlite_extended_errcode(api, handle)
        let isDamage = code & 0xFF == sqlite_corrupt
        return unsafe SourceConnection.error(
            code,
            isDamage ? sqlite_errno_of_files(api, handle) : sqlite_system_errno(api, handle)
        )
    }

    // SQLITE_IOERR_SHORT_READ, SQLITE_IOERR_DATA.
    private static let damagedFile = [2, 32].map { sqlite_ioerr | $0 << 8 }

    /// Returns `unauthorized` (401) if the library does not recognize the file as a database: with a key, the key is
    /// another one. `corrupt` (591) is damage of the old database, around which the import reads; a failure of this
    /// machine must end it instead, or what could not be read once would be left out.
    private static func error(_ code: Int32, _ systemError: Int32) -> StorageError {
        switch code & 0xFF {
        case sqlite_notadb: StorageError(.unauthorized, "The file is no database, or not one with this key.")
        case sqlite_full: StorageError(.full, "The disk is full. Free disk space and try again.")
        case sqlite_nomem: StorageError(.storage, "There is no memory to read the old database. Give the process more.")
        // SQLite calls it damage (SQLITE_IOERR_CORRUPTFS, which a statement turns into SQLITE_CORRUPT) if the system
        // fails to read.
        case sqlite_corrupt where systemError == EIO, sqlite_ioerr where !damagedFile.contains(code):
            StorageError(
                [ENOSPC, EDQUOT, EFBIG].contains(systemError) ? .full : .storage,
                "The copy of the old database cannot be read or written (SQLite \(code), errno \(systemError)). Check "
                    + "the disk and try again."
            )
        // SQLite returns SQLITE_CANTOPEN also for a log of an unknown version, which is damage.
        case sqlite_cantopen where [EIO, EMFILE, ENFILE, ENOMEM, EACCES, EPERM, EROFS].contains(systemError),
            sqlite_readonly, sqlite_perm, sqlite_busy, sqlite_locked, sqlite_protocol:
            StorageError(
                .fileSystem,
                "The copy of the old database cannot be opened (SQLite \(code), errno \(systemError)). Check the "
                    + "folder's permissions and the limit on open files (ulimit -n), and try again."
            )
        // SQLCipher reports a page that fails its check as an SQL error.
        default: StorageError(.corrupt, "The old database is damaged (SQLite \(code)).")
        }
    }
}
