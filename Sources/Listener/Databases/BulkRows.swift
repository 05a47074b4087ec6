internal import SetteeCouchProtocol

/// The rows of an answer of `_bulk_docs`, in the short form in which they are kept until all documents are written.
/// They take less than half of their JSON.
struct BulkRows: Sendable {
    private(set) var pieces: [BulkRowPiece] = []
    /// How many bytes their JSON has, with commas between them.
    private(set) var textBytes = 0

    /// - Complexity: O(bytes).
    mutating func append(_ outcomes: [BulkOutcome]) {
        guard !outcomes.isEmpty else { return }
        var text = JSONAnswerText()
        text.outcomes(outcomes)
        add(text.count)
        for outcome in outcomes {
            if pieces.last?.isFull ?? true { pieces.append(BulkRowPiece(isFirst: pieces.isEmpty)) }
            pieces[pieces.count - 1].append(outcome)
        }
    }

    mutating func append(_ rows: BulkRows) {
        guard !rows.pieces.isEmpty else { return }
        add(rows.textBytes)
        pieces += rows.pieces
    }

    private mutating func add(_ count: Int) { textBytes += count + (textBytes > 0 ? 1 : 0) }
}
