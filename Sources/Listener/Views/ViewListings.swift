internal import NIOCore

/// The rows of several queries of a view, piece by piece.
struct ViewListings: Sendable {
    private let calls: RowCalls
    private var rest: ArraySlice<(head: JSONAnswerText, listing: ViewListing)>
    private var text = JSONAnswerText()
    private var isOver = false

    init(_ listings: [(head: JSONAnswerText, listing: ViewListing)], _ calls: RowCalls) {
        self.calls = calls
        rest = listings[...]
        text.raw(#"{"results":["#)
        begin()
    }

    private mutating func begin() {
        text.raw("\n")
        if let first = rest.first { text.raw(first.head.bytes) }
    }

    /// Returns the next piece; nil at the end.
    mutating func next() async throws -> ByteBuffer? {
        guard !isOver else { return nil }
        while let listing = rest.first?.listing, text.count < ViewListing.pieceBytes {
            let (read, after) = try await calls.next(of: listing, after: text)
            text = after
            rest[rest.startIndex].listing = read
            guard read.isOver else { continue }
            text.raw("\n]}")
            rest.removeFirst()
            guard !rest.isEmpty else { continue }
            text.raw(",")
            begin()
        }
        if rest.isEmpty {
            isOver = true
            text.raw("\n]}\n")
        }
        return text.take()
    }
}
