import StorageConformance
import Testing

@testable import StorageEngineKit
@testable import StorageProtocol

/// The records in which engines keep an index's documents, against a dictionary.
@Suite struct DocumentBlockTests {
    /// Records in memory, which notes how often they are used.
    private final class Records: DocumentBlockStore {
        var records: [(key: [UInt8], entries: [UInt8])] = []
        var reads = 0

        func read(
            atOrBefore id: UnsafeRawBufferPointer,
            into block: inout DocumentBlock
        ) throws(StorageError) -> [UInt8]? {
            reads += 1
            guard let record = records.last(where: { compareBytes($0.key, Array(id)) <= 0 }) else { return nil }
            try record.entries.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in try block.read(bytes) }
            return record.key
        }

        func key(after key: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8]? {
            reads += 1
            return records.first { compareBytes($0.key, Array(key)) > 0 }?.key
        }

        func write(
            _ key: UnsafeRawBufferPointer,
            _ entries: UnsafeRawBufferPointer,
            isNew: Bool
        ) throws(StorageError) {
            let place = records.firstIndex { $0.key == Array(key) }
            #expect((place == nil) == isNew)
            if let place { records.remove(at: place) }
            records.append((Array(key), Array(entries)))
            records.sort { compareBytes($0.key, $1.key) < 0 }
        }

        func remove(_ key: UnsafeRawBufferPointer) throws(StorageError) {
            let place = records.firstIndex { $0.key == Array(key) }
            #expect(place != nil)
            if let place { records.remove(at: place) }
        }

        /// All documents with their keys, and an error if they are not in order.
        func documents() throws -> [[UInt8]: [[UInt8]]] {
            var documents: [[UInt8]: [[UInt8]]] = [:]
            var block = DocumentBlock()
            var last: [UInt8] = []
            for record in records {
                try record.entries.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in try block.read(bytes) }
                let isInOrder = record.key.span.bytes.withUnsafeBytes { block.begins(atOrAfter: $0, after: &last) }
                #expect(isInOrder)
                let none: [UInt8] = []
                _ = try none.span.bytes.withUnsafeBytes { (none) throws(StorageError) in
                    try block.forEach(after: none) { (view) throws(StorageError) in
                        let id = view.withID { ByteCoding.copy($0) }
                        #expect(documents[id] == nil)
                        documents[id] = (0..<view.rowCount).map { view.withKey($0) { ByteCoding.copy($0) } }
                        return true
                    }
                }
            }
            return documents
        }
    }

    private func change(_ records: Records, _ changes: [[UInt8]: [[UInt8]]]) throws {
        var batch = IndexBatch()
        for (id, keys) in changes {
            batch.begin(id.span.bytes, sequence: 1)
            for key in keys { batch.add(key: key.span.bytes, keyJSON: key.span.bytes, valueJSON: nil) }
        }
        try [batch].pinned { (batches) throws(StorageError) in
            var editor = DocumentBlockEditor(records, keepsSequences: true)
            let order = batches.documentsInOrder()
            for place in 0..<order.count {
                let document = batches.document(order[place])
                let isThere = try editor.move(to: document.id)
                if document.rowCount > 0 {
                    try editor.put(document, of: batches)
                } else if isThere {
                    editor.remove()
                }
            }
            try editor.finish()
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func changesAreThoseOfADictionary(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        let records = Records()
        var model: [[UInt8]: [[UInt8]]] = [:]
        for round in 0..<40 {
            var changes: [[UInt8]: [[UInt8]]] = [:]
            for _ in 0..<[1, 5, 100, 600][below(4)] {
                let id = Array("d\(below(2_000))".utf8)
                let length = below(200) == 0 ? 3_000 : below(20)
                let count = below(4) == 0 ? 0 : 1 + below(2)
                changes[id] = (0..<count).map { [UInt8](repeating: UInt8($0), count: length) }
            }
            if round % 10 == 9 { for id in model.keys where below(10) > 0 { changes[id] = [] } }
            try change(records, changes)
            model.merge(changes) { $1 }
            model = model.filter { !$0.value.isEmpty }
            #expect(try records.documents() == model, "seed \(seed), round \(round)")
        }
    }

    @Test func documentsInOrderFillRecords() throws {
        let records = Records()
        for first in stride(from: 0, to: 10_000, by: 250) {
            let new = (first..<first + 250).map { (Array("d\(100_000 + $0)".utf8), [[UInt8](repeating: 5, count: 9)]) }
            try change(records, Dictionary(uniqueKeysWithValues: new))
        }
        #expect(records.records.dropLast().allSatisfy { 560...600 ~= $0.entries.count })
        #expect(records.reads == 2 * 40)
    }

    @Test(arguments: [[], [1], [1, 0x61], [1, 0x61, 0, 0], [1, 0x61, 0, 1, 2, 5], [0, 0, 1, 0]] as [[UInt8]])
    func otherBytesAreDamage(stored: [UInt8]) {
        var block = DocumentBlock()
        #expect(throws: StorageError.self) { try stored.withUnsafeBytes { bytes in try block.read(bytes) } }
    }

    @Test func whatIsNotInItsPlaceIsNoticed() throws {
        let entry: (UInt8) -> [UInt8] = { [1, $0, 0, 1, 1, 7] }
        let cases: [(ids: [UInt8], last: [UInt8], isInOrder: Bool)] = [
            ([0x61, 0x62], [], true), ([0x62, 0x61], [], false), ([0x61, 0x61], [], false),
            ([0x62], [0x60], true), ([0x62], [0x61], false), ([0x60], [], false),
        ]
        for (ids, last, isInOrder) in cases {
            var block = DocumentBlock()
            var last = last
            let key: [UInt8] = [0x61]
            try ids.flatMap(entry).withUnsafeBytes { bytes in try block.read(bytes) }
            let found = key.withUnsafeBytes { block.begins(atOrAfter: $0, after: &last) }
            #expect(found == isInOrder, "\(ids) after \(last)")
            #expect(last == [ids[ids.count - 1]])
        }
    }
}
