import StorageProtocol
import Testing

@testable import SetteeKV

/// Values with any byte changed, removed or added are read as something else or refused as damage; they never trap.
@Suite
struct DamagedValueTests {
    /// Every cut and every change of one byte.
    private static func damaged(_ bytes: [UInt8]) -> [[UInt8]] {
        var all: [[UInt8]] = (0..<bytes.count).map { Array(bytes[..<$0]) }
        all.append(bytes + [0])
        for place in bytes.indices {
            for value in UInt8.min...UInt8.max where value != bytes[place] {
                var changed = bytes
                changed[place] = value
                all.append(changed)
            }
        }
        return all
    }

    /// Reads a value; what it throws must be damage.
    ///
    /// - Returns: whether it was refused.
    private func isRefused(
        _ stored: [UInt8],
        _ read: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) -> Bool {
        do throws(StorageError) {
            try stored.withRawBytes(read)
            return false
        } catch {
            #expect(error.code == .corrupt || error.code == .unsupportedFormat)
            return true
        }
    }

    private let digest = "000102030405060708090a0b0c0d0e0f"

    @Test("records")
    func records() throws {
        let originals = [
            "10 05 01 01 12 ff\(digest)aa 007b7d",
            "03 8501 ac02 \(digest) 0109 007b7d",
            "24 02 05 31322dc3a9 02abcd 007b7d",
        ].map { bytes($0) }
        for original in originals {
            #expect(!isRefused(original, touch))
            for stored in Self.damaged(original) { _ = isRefused(stored, touch) }
            // A record without a body is not a record, wherever it is cut.
            for count in 0..<(original.count - 2) { #expect(isRefused(Array(original[..<count]), touch)) }
        }
    }

    /// Takes a record apart and touches every byte that it names.
    private func touch(_ stored: UnsafeRawBufferPointer) throws(StorageError) {
        let record = try StoredRecord(stored)
        var sum = record.tree.reduce(0 as Int) { $0 + Int($1) } + record.body.reduce(0) { $0 + Int($1) }
        if let text = record.winnerText {
            sum += text.reduce(0) { $0 + Int($1) }
        } else {
            sum += try record.digestWinner().string.utf8.count
        }
        #expect(sum > 0)
        #expect(1...UInt64(Int64.max) ~= record.sequence)
    }

    @Test("entries, kept bodies, local documents, references, counters, formats")
    func others() {
        func check(_ text: String, _ read: (UnsafeRawBufferPointer) throws(StorageError) -> Void) {
            let original = bytes(text)
            let isSoundRefused = isRefused(original, read)
            #expect(!isSoundRefused, "\(text) is sound")
            for stored in Self.damaged(original) { _ = isRefused(stored, read) }
            let isNothingRefused = isRefused([], read)
            #expect(isNothingRefused, "nothing is no value")
        }
        check("056162") { (stored) throws(StorageError) in
            let entry = try SequenceEntry(stored)
            #expect(entry.id.reduce(0) { $0 + Int($1) } >= 0)
        }
        check("026162005b315d") { (stored) throws(StorageError) in
            let kept = try KeptBody(stored)
            #expect(kept.body.reduce(0) { $0 + Int($1) } >= 0)
            #expect(kept.owner.reduce(0) { $0 + Int($1) } >= 0)
        }
        check("035b315d5b315d") { (stored) throws(StorageError) in
            let local = try LocalValue(stored)
            #expect(local.revision.count + local.json.count < stored.count)
        }
        check("8001026e") { (stored) throws(StorageError) in
            _ = try [UInt8](repeating: 1, count: 20).withRawBytes { (key) throws(StorageError) in
                try BlobReference(storedKey: key, stored)
            }
        }
        check("018001030101") { (stored) throws(StorageError) in _ = try StoreNumbers(stored: stored) }
        check("0100") { (stored) throws(StorageError) in _ = try StoreFormat(stored: stored) }
    }

    @Test("a sequence out of range, a position beyond the tree")
    func limits() {
        for text in [
            // sequence 2^64 - 1, 2^63, 0
            "20 ffffffffffffffffff01 03312d61 0100 007b7d",
            "20 80808080808080808001 03312d61 0100 007b7d",
            "20 00 03312d61 0100 007b7d",
            // the digest's position is 1 in a tree of 16 bytes, and 2^64 - 1
            "10 01 01 01 10\(digest) 007b7d",
            "10 01 01 ffffffffffffffffff01 10\(digest) 007b7d",
            // a length of 2^63 and of 2^64 - 1
            "20 01 80808080808080808001 312d61",
            "20 01 03312d61 ffffffffffffffffff01 00",
            // generation 0, and beyond all
            "00 01 00\(digest) 0100 007b7d", "00 01 ffffffffffffffffff01\(digest) 0100 007b7d",
            // unknown flags
            "08 01 01\(digest) 0100 007b7d", "40 01 01\(digest) 0100 007b7d", "80 01 01\(digest) 0100 007b7d",
            "30 01 03312d61 0100 007b7d",
        ] {
            #expect(isRefused(bytes(text), touch), "\(text)")
        }
    }
}
