/// The first rows of an order, from any number of rows that are added in any order.
struct TopRows: Sendable {
    private let keys: SortKeys
    private let maximum: Int
    /// A heap whose first element is the last row in the order, once there are as many as wanted.
    private var rows: [FindPosition] = []
    private var isHeap = false

    /// - Parameter maximum: how many rows are wanted.
    init(_ keys: SortKeys, maximum: Int) {
        self.keys = keys
        self.maximum = maximum
    }

    /// - Complexity: O(log maximum).
    mutating func add(_ row: FindPosition) {
        if rows.count < maximum {
            rows.append(row)
            return
        }
        guard maximum > 0 else { return }
        if !isHeap {
            isHeap = true
            for place in stride(from: rows.count / 2 - 1, through: 0, by: -1) { sink(place) }
        }
        guard keys.precedes(row, rows[0]) else { return }
        rows[0] = row
        sink(0)
    }

    mutating func add(_ other: TopRows) { for row in other.rows { add(row) } }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var last = place
            for child in [2 * place + 1, 2 * place + 2] where child < rows.count {
                if keys.precedes(rows[last], rows[child]) { last = child }
            }
            if last == place { return }
            rows.swapAt(place, last)
            place = last
        }
    }

    /// The rows in order.
    ///
    /// - Complexity: O(*n* log *n*).
    consuming func sorted() -> [FindPosition] { rows.sorted { keys.precedes($0, $1) } }
}
