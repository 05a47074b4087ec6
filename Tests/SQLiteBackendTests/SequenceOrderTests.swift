internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// Walks in the order of sequences go through the table where neighbours in it follow one another, and through the
/// index elsewhere: what they pass is the same.
@Suite struct SequenceOrderTests {
    private static let count = 700

    /// - Parameter changes: How many documents are updated or purged after they were all inserted.
    @Test(arguments: [0, 1, 5, 60, 2000])
    func everyRange(changes: Int) throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<Self.count)
        var random = SeededGenerator(seed: UInt64(changes))
        try engine.write { (transaction) throws(StorageError) in
            for change in 0..<changes {
                let id = try DocumentID(name(Int.random(in: 0..<Self.count, using: &random)))
                guard try transaction.record(id, fields: .metadata, { (_) throws(StorageError) in }) else {
                    try transaction.insert(id.string, someBody(change))
                    continue
                }
                let next = try transaction.counters().lastSequence + 1
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try transaction.purge(id, sequence: next)
                } else {
                    let draft = RecordDraft(
                        documentID: id,
                        flags: [],
                        sequence: next,
                        winner: try someRevision(),
                        tree: someTree,
                        body: .replace(someBody(change))
                    )
                    try transaction.update(draft)
                }
            }
        }
        try engine.read { (now) throws(StorageError) in
            var expected: [(UInt64, String)] = []
            try now.records(in: .all, descending: false, fields: .metadata) { (record) throws(StorageError) in
                expected.append((record.sequence, record.withID { $0.text }))
                return true
            }
            expected.sort { $0.0 < $1.0 }
            let last = try now.counters().lastSequence
            var ranges: [ClosedRange<UInt64>] = [0...UInt64.max, 1...last, 0...0, last...last, (last + 1)...(last + 9)]
            for _ in 0..<40 {
                let first = UInt64.random(in: 0...last, using: &random)
                ranges.append(first...UInt64.random(in: first...(last + 3), using: &random))
            }
            for range in ranges {
                let wanted = expected.filter { range.contains($0.0) }
                for limit in [Int.max, 1, 9, 10, 100] {
                    var passed: [(UInt64, String)] = []
                    try now.records(sequences: range, descending: false, fields: .all) {
                        (record) throws(StorageError) in
                        passed.append((record.sequence, record.withID { $0.text }))
                        return passed.count < limit
                    }
                    #expect(passed.map(\.0) == wanted.prefix(limit).map(\.0), "\(range), at most \(limit)")
                    #expect(passed.map(\.1) == wanted.prefix(limit).map(\.1), "\(range), at most \(limit)")
                }
            }
        }
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// A walk that ends its transaction, or throws, ends there, wherever it is.
    @Test(arguments: [1, 7, 8, 9, 10, 11, 50])
    func endingOnTheWay(place: Int) throws {
        let store = try TestStore.filled(100)
        let engine = try store.open()
        let transaction = try engine.beginRead()
        var seen = 0
        let ended = code {
            try transaction.records(sequences: 0...UInt64.max, descending: false, fields: .body) { _ in
                seen += 1
                if seen == place { transaction.end() }
                return true
            }
        }
        #expect(ended == .notOpen)
        #expect(seen == place)
        seen = 0
        let thrown = code {
            try engine.read { (now) throws(StorageError) in
                try now.records(sequences: 0...UInt64.max, descending: false, fields: .body) {
                    (_) throws(StorageError) in
                    seen += 1
                    if seen == place { throw StorageError(.busy, "for the test") }
                    return true
                }
            }
        }
        #expect(thrown == .busy)
        engine.close()
    }
}

extension RawSpan {
    fileprivate var text: String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}
