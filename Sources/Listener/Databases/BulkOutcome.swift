internal import SetteeCouchProtocol

/// What became of one of the documents of `_bulk_docs`.
struct BulkOutcome: Sendable {
    var id: String?
    var revision: String?
    var outcome: Result<Void, CouchError>

    var isFailure: Bool { if case .failure = outcome { true } else { false } }
}

extension JSONAnswerText {
    /// Adds outcomes, with commas between them.
    mutating func outcomes(_ outcomes: some Sequence<BulkOutcome>) {
        for (place, row) in outcomes.enumerated() {
            if place > 0 { raw(",") }
            outcome(row)
        }
    }

    private mutating func outcome(_ row: BulkOutcome) {
        raw("{")
        if let id = row.id {
            raw(#""id":"#)
            string(id)
            raw(",")
        }
        if let revision = row.revision {
            raw(#""rev":"#)
            string(revision)
            raw(",")
        }
        switch row.outcome {
        case .success: raw(#""ok":true}"#)
        case .failure(let error):
            raw(#""error":"#)
            string(error.error)
            raw(#","reason":"#)
            string(error.reason)
            raw(#","status":"#)
            number(error.status)
            raw("}")
        }
    }
}
