internal import CSetteeSQLiteAPI

/// A row of a query, valid until the next row is requested.
@safe
struct SourceRow {
    private let api: UnsafePointer<SQLiteAPI>
    private let statement: OpaquePointer

    init(_ api: UnsafePointer<SQLiteAPI>, _ statement: OpaquePointer) {
        unsafe self.api = api
        unsafe self.statement = statement
    }

    private func type(_ column: Int32) -> Int32 { unsafe sqlite_column_type(api, statement, column) }

    func isNull(_ column: Int32) -> Bool { type(column) == sqlite_null }

    /// Returns a number; nil if the column has another type.
    func integer(_ column: Int32) -> Int64? {
        guard type(column) == sqlite_integer else { return nil }
        return unsafe sqlite_column_int64(api, statement, column)
    }

    /// Returns whether a number is not 0, like SQLite. Couchbase Lite wrote numbers.
    func flag(_ column: Int32) -> Bool { unsafe sqlite_column_int64(api, statement, column) != 0 }

    /// Returns the bytes of a text or blob; nil if the column has another type.
    func bytes(_ column: Int32) -> [UInt8]? {
        var type: Int32 = 0
        var count: Int32 = 0
        let start = unsafe sqlite_column_bytes(api, statement, column, &type, &count)
        guard type == sqlite_text || type == sqlite_blob else { return nil }
        guard count > 0, let start = unsafe start else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    /// Returns a text in UTF-8; nil if the column has another type.
    func text(_ column: Int32) -> String? {
        guard let bytes = bytes(column) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
