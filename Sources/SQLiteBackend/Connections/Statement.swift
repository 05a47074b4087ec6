internal import CSetteeSQLiteAPI
internal import StorageProtocol

/// A prepared statement, in use by one operation. A plain value: `Connection` owns what it points to.
@safe
struct Statement {
    private let pointer: OpaquePointer
    private let api: UnsafePointer<SQLiteAPI>
    let query: Query

    init(pointer: OpaquePointer, api: UnsafePointer<SQLiteAPI>, query: Query) {
        unsafe self.pointer = pointer
        unsafe self.api = api
        self.query = query
    }

    // A value that cannot be bound stays NULL, which every column except `value_json` refuses.

    @inline(__always)
    func bind(_ value: Int64, _ at: Int32) { unsafe _ = sqlite_bind_int64(api, pointer, at, value) }

    @inline(__always)
    func bindNull(_ at: Int32) { unsafe _ = sqlite_bind_null(api, pointer, at) }

    /// Binds bytes as text without copying. They must stay valid until the statement has been stepped for the last
    /// time.
    @inline(__always)
    @unsafe
    func bindText(_ bytes: UnsafeRawBufferPointer, _ at: Int32) {
        unsafe _ = sqlite_bind_text_static(api, pointer, at, bytes.baseAddress, bytes.count)
    }

    /// Like `bindText`, for a blob.
    @inline(__always)
    @unsafe
    func bindBlob(_ bytes: UnsafeRawBufferPointer, _ at: Int32) {
        unsafe _ = sqlite_bind_blob_static(api, pointer, at, bytes.baseAddress, bytes.count)
    }

    /// Steps once. True: there is a row; false: done; nil: an error.
    @inline(__always)
    func step() -> Bool? {
        switch unsafe sqlite_step(api, pointer) {
        case sqlite_row: true
        case sqlite_done: false
        default: nil
        }
    }

    @inline(__always)
    func reset() { unsafe _ = sqlite_reset(api, pointer) }
    func finalize() { unsafe _ = sqlite_finalize(api, pointer) }

    @inline(__always)
    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite_column_type(api, pointer, column) == sqlite_null
    }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 { unsafe sqlite_column_int64(api, pointer, column) }

    /// Returns a number, or nil if the column is not one.
    @inline(__always)
    func integerIfStored(_ column: Int32) -> Int64? {
        unsafe sqlite_column_type(api, pointer, column) == sqlite_integer ? integer(column) : nil
    }

    /// Returns a number that is never negative. - Throws: `corrupt` (591) if the stored value is negative or not a
    /// number.
    func count(_ column: Int32) throws(StorageError) -> UInt64 {
        let value = integer(column)
        guard value >= 0, unsafe sqlite_column_type(api, pointer, column) == sqlite_integer else {
            throw .corrupt("A stored number is out of its range")
        }
        return UInt64(value)
    }

    /// Returns a number of either sign. - Throws: `corrupt` (591) if the stored value is not a number.
    func number(_ column: Int32) throws(StorageError) -> Int64 {
        guard unsafe sqlite_column_type(api, pointer, column) == sqlite_integer else {
            throw .corrupt("A stored number is missing or of the wrong type")
        }
        return integer(column)
    }

    /// Returns the bytes of a text or blob, valid until the next step or reset.
    ///
    /// - Throws: `corrupt` (591) if the column has a type other than `type`.
    @inline(__always)
    @unsafe
    func bytes(_ column: Int32, type: ColumnType) throws(StorageError) -> UnsafeRawBufferPointer {
        var stored: Int32 = 0
        var count: Int32 = 0
        let start = unsafe sqlite_column_bytes(api, pointer, column, &stored, &count)
        guard stored == type.rawValue else { throw .corrupt("A stored value is missing or of the wrong type") }
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
    }

    /// Returns a column converted to text by SQLite, for results of pragmas.
    func anyText(_ column: Int32) -> String {
        var stored: Int32 = 0
        var count: Int32 = 0
        let start = unsafe sqlite_column_bytes(api, pointer, column, &stored, &count)
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Returns a copy of a text. - Throws: `corrupt` (591) if it is not a text, or not UTF-8.
    func string(_ column: Int32) throws(StorageError) -> String {
        guard let text = unsafe String(validating: try bytes(column, type: .text), as: UTF8.self) else {
            throw .corrupt("A stored text is not UTF-8")
        }
        return text
    }
}

enum ColumnType {
    case text
    case blob

    @inline(__always)
    var rawValue: Int32 { self == .text ? sqlite_text : sqlite_blob }
}
