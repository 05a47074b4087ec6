internal import SetteeCouchProtocol
internal import Testing

@testable internal import SetteeListener

/// What is kept of the rows of `_bulk_docs`.
@Suite struct BulkRowsTests {
    private static let digest = "0123456789abcdef0123456789abcdef"

    private func text(_ rows: BulkRows) -> String {
        var text = JSONAnswerText()
        for (place, piece) in rows.pieces.enumerated() {
            if place > 0 { text.raw(",") }
            text.outcomes(piece.outcomes)
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private func text(_ outcomes: [BulkOutcome]) -> String {
        var text = JSONAnswerText()
        text.outcomes(outcomes)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    @Test("rows of all kinds come back as they were, in their order")
    func kinds() {
        let ids = [nil, "", "a", "\u{E4}\"\\", String(repeating: "x", count: 70_000)]
        let revisions = [
            nil, "1-" + BulkRowsTests.digest, "9223372036854775807-" + BulkRowsTests.digest, "0-1", "3-abc",
            "1-" + BulkRowsTests.digest.uppercased(), "none",
        ]
        let outcomes: [Result<Void, CouchError>] = [
            .success(()), .failure(.conflict), .failure(.forbidden("no")), .failure(.conflict),
        ]
        var all: [BulkOutcome] = []
        for id in ids {
            for revision in revisions {
                all += outcomes.map { BulkOutcome(id: id, revision: revision, outcome: $0) }
            }
        }
        // More different errors than are looked through.
        all += (0..<100).map { BulkOutcome(id: "e", outcome: .failure(.forbidden("reason \($0 % 40)"))) }
        var rows = BulkRows()
        rows.append(Array(all[..<7]))
        var others = BulkRows()
        others.append(Array(all[7...]))
        rows.append(others)
        rows.append(BulkRows())
        rows.append([])
        #expect(text(rows) == text(all))
        #expect(rows.textBytes == text(all).utf8.count)
    }

    @Test("they take less than half of their JSON")
    func size() {
        var rows = BulkRows()
        for start in stride(from: 0, to: 20_000, by: 500) {
            rows.append(
                (start..<start + 500).map {
                    BulkOutcome(id: "d\($0)", revision: "1-" + BulkRowsTests.digest, outcome: .success(()))
                }
            )
        }
        #expect(rows.pieces.reduce(0) { $0 + $1.byteCount } * 2 < rows.textBytes)
        #expect(rows.pieces.flatMap(\.outcomes).count == 20_000)
    }
}
