internal import StorageProtocol

/// Gathers what a trace says of a listing, without the time that the caller takes for its rows.
struct ListingTrace {
    private let trace: DatabaseTrace
    private let order: RowSourceOrder
    private let began: UInt64
    private var mark: UInt64
    private var took: UInt64 = 0
    private var rows = 0
    private var size: Int?

    init(_ trace: DatabaseTrace, _ order: RowSourceOrder) {
        self.trace = trace
        self.order = order
        began = trace.now
        mark = began
        size = order.includesBodies ? 0 : nil
    }

    /// A page is going to be read.
    mutating func begin() { mark = trace.now }

    /// It was read.
    mutating func add(_ page: [DocumentRow]) {
        took += trace.now - mark
        rows += page.count
        if order.includesBodies { size? += page.reduce(0) { $0 + ($1.json?.count ?? 0) } }
    }

    func end() {
        trace.listed(
            rows: rows,
            size: size,
            isBySequence: order.isBySequence,
            descending: order.descending,
            began: began,
            took: took
        )
    }
}
