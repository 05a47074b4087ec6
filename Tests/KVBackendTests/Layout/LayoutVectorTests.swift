import StorageProtocol
import Testing

@testable import SetteeKV

/// Stored values byte by byte, as docs/internals/kv-engine.md defines them. If a vector changes, it is another format
/// version.
@Suite
struct LayoutVectorTests {
    private let digest = "000102030405060708090a0b0c0d0e0f"

    private func record(
        _ winner: String,
        flags: DocumentFlags = [],
        sequence: UInt64,
        tree: [UInt8],
        body: String = "{}"
    ) throws -> [UInt8] {
        let winner = try RevisionID(winner)
        let json = Array(body.utf8)
        return tree.withUnsafeBytes { tree in
            json.withUnsafeBytes { json in
                let record = NewRecord(
                    flags: flags,
                    sequence: sequence,
                    winner: winner,
                    tree: tree,
                    body: .plain(json)
                )
                return written(record.length) { record.write(to: $0) }
            }
        }
    }

    /// The record as it is read: its parts, the winner as text.
    private func shown(_ stored: [UInt8]) throws(StorageError) -> String {
        try stored.withRawBytes { (stored) throws(StorageError) in
            let record = try StoredRecord(stored)
            let winner =
                if let text = record.winnerText {
                    String(decoding: text, as: UTF8.self)
                } else {
                    try record.digestWinner().string
                }
            return
                "\(record.flags.rawValue) \(record.sequence) \(winner) \(hex(record.tree)) \(hex(record.body))"
        }
    }

    @Test("a record whose winner's digest is in its tree")
    func digestInTree() throws {
        let tree = bytes("01 01 02 01" + digest + "07")
        let stored = try record("1-\(digest)", sequence: 5, tree: tree)
        #expect(hex(stored) == "10 05 01 04 15".filter { $0 != " " } + hex(tree) + "007b7d")
        #expect(try shown(stored) == "0 5 1-\(digest) \(hex(tree)) 007b7d")
    }

    @Test("a record whose winner's digest is elsewhere")
    func digestInRecord() throws {
        let stored = try record("300-\(digest)", flags: [.deleted, .conflicted], sequence: 133, tree: [9])
        #expect(hex(stored) == "03 8501 ac02".filter { $0 != " " } + digest + "0109007b7d")
        #expect(try shown(stored) == "3 133 300-\(digest) 09 007b7d")
    }

    @Test("a record whose winner is a foreign revision")
    func textWinner() throws {
        let stored = try record("12-é", flags: .hasAttachments, sequence: 2, tree: [], body: "")
        #expect(hex(stored) == "24 02 05 31322dc3a9 00 00".filter { $0 != " " })
        #expect(try shown(stored) == "4 2 12-é  00")
    }

    @Test("a digest at the very end of the tree, and one that the tree's end cuts off")
    func digestAtTheEnd() throws {
        let whole = bytes("00" + digest)
        #expect(hex(try record("1-\(digest)", sequence: 1, tree: whole)).hasPrefix("10010101"))
        let cut = Array(whole.dropLast())
        let stored = try record("1-\(digest)", sequence: 1, tree: cut)
        #expect(hex(stored).hasPrefix("000101" + digest))
        #expect(try shown(stored) == "0 1 1-\(digest) \(hex(cut)) 007b7d")
    }

    @Test("entries of the order by sequence")
    func sequenceEntries() throws {
        let id = Array("ab".utf8)
        func entry(_ flags: DocumentFlags) -> String {
            id.withUnsafeBytes { id in
                hex(
                    written(SequenceEntry.length(idLength: id.count)) {
                        SequenceEntry.write(to: $0, flags: flags, id: id)
                    }
                )
            }
        }
        #expect(entry([]) == "006162")
        #expect(entry([.deleted, .hasAttachments]) == "056162")
        try bytes("056162").withRawBytes { (stored) throws(StorageError) in
            let entry = try SequenceEntry(stored)
            #expect(entry.flags == [.deleted, .hasAttachments])
            #expect(Array(entry.id) == id)
        }
    }

    @Test("bodies, local documents, references, counters, the format and keys")
    func others() throws {
        let json = Array("[1]".utf8)
        json.withUnsafeBytes { json in
            let body = StoredBody.plain(json)
            #expect(
                hex(written(KeptBody.length(owner: json, body)) { KeptBody.write(to: $0, owner: json, body) })
                    == "035b315d005b315d"
            )
            let local = LocalValue(revision: json, json: json)
            #expect(hex(written(local.length) { local.write(to: $0) }) == "035b315d5b315d")
        }
        let reference = BlobReference(digest: .init(repeating: 1, count: 20), storageName: "n", length: 128, count: 2)
        #expect(hex(reference.stored) == "8001026e")
        var numbers = StoreNumbers()
        #expect(hex(numbers.encoded) == "0000000101")
        numbers.changeCounter = 1
        numbers.lastSequence = 128
        numbers.liveDocuments = 3
        #expect(hex(numbers.encoded) == "018001030101")
        #expect(hex(StoreFormat(.uncompressed).encoded) == "0100")
        #expect(hex(StoreFormat(.lz4).encoded) == "0101")
        #expect(try FixedKey(258).withBytes { hex($0) } == "0000000000000102")
        try json.withRawBytes { (id) throws(StorageError) in
            #expect(try ExpiryKey.withBytes(-1, id) { hex($0) } == "7fffffffffffffff5b315d")
            #expect(try ExpiryKey.withBytes(0, id) { hex($0) } == "80000000000000005b315d")
        }
    }

    @Test("another version or flag is refused as unknown, not as damage")
    func formats() {
        #expect(throws: StorageError.self) { try format("0200") }
        func code(_ text: String) -> StorageError.Code? {
            do throws(StorageError) {
                _ = try format(text)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("0100") == nil)
        #expect(code("0101") == nil)
        #expect(code("0200") == .unsupportedFormat)
        #expect(code("02") == .unsupportedFormat)
        #expect(code("0102") == .unsupportedFormat)
        for damaged in ["", "00", "0000", "01", "010000"] { #expect(code(damaged) == .corrupt) }
    }

    private func format(_ text: String) throws(StorageError) -> StoreFormat {
        try bytes(text).withRawBytes { (stored) throws(StorageError) in try StoreFormat(stored: stored) }
    }
}
