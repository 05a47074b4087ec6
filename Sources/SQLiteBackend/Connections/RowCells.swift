internal import CSetteeSQLiteAPI

/// The values of rows for the table `settee_feed` (`Connection.run(_:feeding:_:)`). Texts and blobs are not copied:
/// they must stay where they are until the statement has run.
@safe
struct RowCells: ~Copyable {
    let columns: Int
    let capacity: Int
    private let cells: UnsafeMutablePointer<SQLiteCell>

    /// - Parameters:
    ///   - columns: The number of columns, at most 7.
    ///   - capacity: The maximum number of rows.
    init(columns: Int, capacity: Int) {
        self.columns = columns
        self.capacity = capacity
        unsafe cells = .allocate(capacity: columns * capacity)
    }

    deinit { unsafe cells.deallocate() }

    /// Passes the cells to `use`. Every cell of the rows that it reads must have been set.
    @unsafe
    func withCells<R>(_ use: (UnsafePointer<SQLiteCell>) -> R) -> R { unsafe use(UnsafePointer(cells)) }

    @inline(__always)
    func set(_ row: Int, _ column: Int, to number: Int64) {
        unsafe set(row, column, SQLiteCell(bytes: nil, number: number, type: sqlite_integer))
    }

    @inline(__always)
    func setNull(_ row: Int, _ column: Int) {
        unsafe set(row, column, SQLiteCell(bytes: nil, number: 0, type: sqlite_null))
    }

    @inline(__always)
    @unsafe
    func setText(_ row: Int, _ column: Int, _ bytes: UnsafeRawBufferPointer) {
        unsafe set(row, column, SQLiteCell(bytes: bytes.baseAddress, number: Int64(bytes.count), type: sqlite_text))
    }

    @inline(__always)
    @unsafe
    func setBlob(_ row: Int, _ column: Int, _ bytes: UnsafeRawBufferPointer) {
        unsafe set(row, column, SQLiteCell(bytes: bytes.baseAddress, number: Int64(bytes.count), type: sqlite_blob))
    }

    @inline(__always)
    @unsafe
    private func set(_ row: Int, _ column: Int, _ cell: SQLiteCell) {
        precondition(row < capacity && column < columns)
        unsafe (cells + (row * columns + column)).initialize(to: cell)
    }

    /// The number in a cell that has one.
    func number(_ row: Int, _ column: Int) -> Int64 { unsafe cells[row * columns + column].number }

    /// The bytes of a text or blob.
    @unsafe
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let cell = unsafe cells[row * columns + column]
        return unsafe UnsafeRawBufferPointer(start: cell.bytes, count: Int(cell.number))
    }

    /// Binds a row to the parameters from 1 on.
    func bind(_ row: Int, to statement: Statement) {
        for column in 0..<columns {
            let parameter = Int32(column + 1)
            switch unsafe cells[row * columns + column].type {
            case sqlite_integer: statement.bind(number(row, column), parameter)
            case sqlite_text: unsafe statement.bindText(bytes(row, column), parameter)
            case sqlite_blob: unsafe statement.bindBlob(bytes(row, column), parameter)
            default: statement.bindNull(parameter)
            }
        }
    }
}
