import StorageConformance
import Testing

@testable import StorageEngineKit
@testable import StorageProtocol

/// What a first build writes: the rows and documents of many sorted loads in one order.
@Suite struct LoadMergeTests {
    private struct Row: Equatable {
        var key: [UInt8]
        var id: [UInt8]
        var emit: UInt32
        var text: [UInt8]
        var value: [UInt8]?
    }

    private struct Document: Equatable {
        var id: [UInt8]
        var sequence: UInt64
        var keys: [[UInt8]]
    }

    /// What all keys begin with, and how many different ones there are.
    @Test(arguments: [0, 3, 8, 30], [1, 7, 300, 100_000])
    func partsHaveTheOrderOfOneLoad(shared: Int, different: Int) {
        var random = SeededGenerator(seed: UInt64(shared + different))
        for count in [0, 1, 5, 2_000] {
            var batches = (0..<Int.random(in: 1...40, using: &random)).map { _ in IndexBatch() }
            for number in (0..<count).shuffled(using: &random) {
                let batch = Int.random(in: 0..<batches.count, using: &random)
                batches[batch].begin(Array("d\(number)".utf8).span.bytes, sequence: UInt64(number + 1))
                for emit in 0..<Int.random(in: 0..<4, using: &random) {
                    let end = String(Int.random(in: 0..<different, using: &random), radix: 7)
                    let key = [UInt8](repeating: 0x61, count: shared) + Array(end.utf8)
                    let text = Array("\(emit)".utf8)
                    batches[batch].add(
                        key: key.span.bytes,
                        keyJSON: text.span.bytes,
                        valueJSON: emit == 1 ? text.span.bytes : nil
                    )
                }
            }
            let loads = batches.map { IndexLoad([$0]) }
            let whole = IndexLoad(batches)
            for size in [1, 7, 10_000] {
                var merge = LoadMerge(rowsOf: loads)
                var parts: [IndexLoad] = []
                while let part = merge.next(size) { parts.append(part) }
                #expect(parts.flatMap(rows) == rows(whole), "\(count) documents, parts of \(size)")
                #expect(parts.dropLast().allSatisfy { $0.rowCount == size && $0.documentCount == 0 })

                merge = LoadMerge(documentsOf: loads)
                parts = []
                while let part = merge.next(size) { parts.append(part) }
                #expect(parts.flatMap(documents) == documents(whole), "\(count) documents, parts of \(size)")
                #expect(parts.dropLast().allSatisfy { $0.documentCount == size && $0.rowCount == 0 })
            }
        }
    }

    private func rows(_ load: IndexLoad) -> [Row] {
        var rows: [Row] = []
        load.forEachRow(0..<load.rowCount) { row, id, emit in
            rows.append(Row(key: row.key, id: id, emit: emit, text: row.keyJSON, value: row.valueJSON))
        }
        return rows
    }

    private func documents(_ load: IndexLoad) -> [Document] {
        var documents: [Document] = []
        load.forEachDocument(0..<load.documentCount) { id, sequence, rows in
            documents.append(Document(id: id, sequence: sequence, keys: rows.map(\.key)))
        }
        return documents
    }
}
