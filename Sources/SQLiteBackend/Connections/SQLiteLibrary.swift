package import CSetteeSQLiteAPI
package import StorageProtocol

/// The function table of a SQLite library that has been found usable.
@safe
package struct SQLiteLibrary: @unchecked Sendable {
    // The table is immutable for the life of the process.
    package let api: UnsafePointer<SQLiteAPI>
    let version: Int32

    /// 3.15: row values, WITHOUT ROWID, partial indexes; nothing newer is used.
    static let oldestVersion: Int32 = 3_015_000

    /// Returns the libsqlite3 that the program is linked against.
    package static func linked() throws(StorageError) -> SQLiteLibrary {
        unsafe try SQLiteLibrary(api: sqlite_api_linked())
    }

    package init(api: UnsafePointer<SQLiteAPI>) throws(StorageError) {
        let version = unsafe sqlite_libversion_number(api)
        guard version >= SQLiteLibrary.oldestVersion else {
            throw StorageError(
                .storage,
                "The SQLite library has version \(unsafe String(cString: sqlite_libversion(api))); "
                    + "3.15.0 or newer is needed. Install a newer libsqlite3."
            )
        }
        guard unsafe sqlite_threadsafe(api) != 0 else {
            throw StorageError(
                .storage,
                "The SQLite library was built without threads. Install one built with SQLITE_THREADSAFE=1 or 2."
            )
        }
        unsafe self.api = api
        self.version = version
    }

    var versionText: String { unsafe String(cString: sqlite_libversion(api)) }
}
