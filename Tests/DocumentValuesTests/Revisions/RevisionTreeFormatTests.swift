internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite struct RevisionTreeFormatTests {
    static let a = "00112233445566778899aabbccddeeff"
    static let b = "ffffffffffffffffffffffffffffffff"
    static let c = "0123456789abcdef0123456789abcdef"

    /// Golden bytes: version, count, then for each node head, [generation], suffix, [sequence], [parent].
    @Test func aSingleRevisionIsTiny() throws {
        var tree = RevisionTree()
        try insert("1-" + Self.a, nil, 5, into: &tree)
        #expect(hex(tree) == "01 01 32 01 00112233445566778899aabbccddeeff 05")

        var tombstone = RevisionTree()
        let id = try RevisionID("300-" + Self.b)
        try tombstone.insert(history: [id], deleted: true, hasAttachments: false, sequence: 1_000)
        #expect(hex(tombstone) == "01 01 33 ac02 ffffffffffffffffffffffffffffffff e807")
    }

    @Test func aLineIsWrittenFromItsLeaf() throws {
        var tree = RevisionTree()
        try insert("1-" + Self.a, nil, 100, into: &tree)
        try insert("2-" + Self.b, "1-" + Self.a, 130, hasAttachments: true, into: &tree)
        try insert("3-" + Self.c, "2-" + Self.b, 131, deleted: true, into: &tree)
        tree.setHasBody(false, at: 2)
        #expect(
            hex(tree) == """
                01 03 13 03 0123456789abcdef0123456789abcdef 8301 \
                16 ffffffffffffffffffffffffffffffff 01 \
                30 00112233445566778899aabbccddeeff 1e
                """
        )
    }

    @Test func aBranchNamesTheNodeItJoins() throws {
        var tree = RevisionTree()
        try insert("1-A", nil, 1, into: &tree)
        try insert("2-x", "1-A", 2, into: &tree)
        try insert("2-" + Self.a, "1-A", 3, into: &tree)
        let foreign = try ["7-y", "6-z"].map { text in try RevisionID(text) }
        try tree.insert(history: foreign, deleted: true, hasAttachments: false, sequence: 4)
        // 2-x and the root, 2-a joining at 1, the foreign tombstone with an ancestor known only by its ID.
        #expect(
            hex(tree) == """
                01 05 1a 02 01 78 02 3a 01 41 01 \
                52 02 00112233445566778899aabbccddeeff 03 01 \
                1b 07 01 79 04 28 01 7a
                """
        )
    }

    @Test func sequencesMayRise() throws {
        var tree = RevisionTree()
        try insert("1-" + Self.a, nil, UInt64.max, into: &tree)
        try insert("2-" + Self.b, "1-" + Self.a, 1, into: &tree)
        #expect(
            hex(tree) == "01 02 12 02 ffffffffffffffffffffffffffffffff 01 32 00112233445566778899aabbccddeeff 02"
        )
    }

    /// Each is one fault away from a sound tree.
    @Test(arguments: [
        ("no bytes", ""),
        ("no count", "01"),
        ("another version", "02 01 3a 01 01 41 01"),
        ("an empty tree", "01 00"),
        ("more nodes than bytes", "01 7f 3a 01 01 41 01"),
        ("an absurd count", "01 ffffffffffffffffff01 3a 01 01 41 01"),
        ("a count of two bytes for one", "01 8100 3a 01 01 41 01"),
        ("bytes behind the tree", "01 01 3a 01 01 41 01 00"),
        ("an unknown bit", "01 01 ba 01 01 41 01"),
        ("attachments without a body", "01 01 3c 01 01 41 01"),
        ("both root and joined", "01 01 7a 01 01 41 01 00"),
        ("generation 0", "01 01 3a 00 01 41 01"),
        ("generation 2^63", "01 01 3a 80808080808080808001 01 41 01"),
        ("a generation over 64 bits", "01 01 3a 80808080808080808002 01 41 01"),
        ("an endless generation", "01 01 3a ffffffffffffffffffffffff 01 41 01"),
        ("an empty suffix", "01 01 3a 01 00 01"),
        ("a suffix beyond the end", "01 01 3a 01 05 41 01"),
        ("a suffix that is not UTF-8", "01 01 3a 01 01 ff 01"),
        ("a control character", "01 01 3a 01 01 0a 01"),
        (
            "a digest written as text",
            "01 01 3a 01 20 3030303030303030303030303030303030303030303030303030303030303030 01"
        ),
        ("half a digest", "01 01 32 01 00112233445566"),
        ("sequence 0 written", "01 01 3a 01 01 41 00"),
        ("a root that goes on", "01 01 1a 01 01 41 01"),
        ("a line below generation 1", "01 02 1a 01 01 41 02 3a 01 41 01"),
        ("a parent that does not exist", "01 02 1a 02 01 78 02 5a 01 41 01 07"),
        ("its own parent", "01 01 5a 01 01 41 01 00"),
        ("a line that joins itself", "01 03 1a 03 01 78 03 1a 01 79 01 5a 01 41 01 00"),
        ("a line that joins a leaf", "01 02 3a 02 01 79 02 5a 03 01 78 01 00"),
        ("joined at another generation", "01 03 1a 02 01 79 02 3a 01 41 01 5a 03 01 78 03 01"),
        ("leaves out of order", "01 03 1a 02 01 78 02 3a 01 41 01 5a 02 01 79 03 01"),
        ("a tombstone before a live leaf", "01 02 3b 02 01 78 02 3a 01 01 41 01"),
        ("the same revision twice", "01 04 1a 02 01 79 02 3a 01 41 01 1a 02 01 78 03 3a 01 41 02"),
        ("the same leaf twice", "01 02 3a 01 01 41 01 3a 01 01 41 01"),
    ])
    func damageIsAnError(what: String, text: String) throws {
        let bytes = try bytes(text)
        #expect(throws: StorageError.self, "\(what)") { _ = try unsafe RevisionTree(decoding: bytes.span.bytes) }
        do throws(StorageError) {
            _ = try unsafe RevisionTree(decoding: bytes.span.bytes)
        } catch {
            #expect(error.code == .corrupt)
        }
    }

    /// The sound neighbours of the damaged ones.
    @Test(arguments: [
        "01 01 3a 01 01 41 01", "01 03 1a 02 01 79 02 3a 01 41 01 5a 02 01 78 03 01",
        "01 02 3a 02 01 78 02 3b 01 01 41 01", "01 04 1a 02 01 79 02 3a 01 41 01 1a 02 01 78 03 3a 01 42 02",
        "01 01 3a ffffffffffffffff7f 01 41 01",
    ])
    func soundBytesAreReadAndWrittenAgain(text: String) throws {
        let bytes = try bytes(text)
        let tree = try unsafe RevisionTree(decoding: bytes.span.bytes)
        var again: [UInt8] = []
        tree.encode(into: &again)
        #expect(again == bytes)
    }

    /// Whatever the bytes are: an error, or a tree with exactly these bytes.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func mutatedBytesNeverTrap(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<40 {
            let (tree, _) = try RevisionTreeModel.random(&random, size: 1 + random.below(30))
            var original: [UInt8] = []
            tree.encode(into: &original)
            for _ in 0..<100 {
                var bytes = original
                for _ in 0...random.below(3) { mutate(&bytes, &random) }
                guard let decoded = try? unsafe RevisionTree(decoding: bytes.span.bytes) else { continue }
                accepted += 1
                var again: [UInt8] = []
                decoded.encode(into: &again)
                #expect(again == bytes, "seed \(seed)")
                #expect(decoded.leaves.first == decoded.winner, "seed \(seed)")
            }
        }
        // A flipped bit of a digest is still a tree: otherwise the mutations would prove nothing.
        #expect(accepted > 100, "seed \(seed)")
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = random.below(bytes.count)
        switch random.below(6) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        case 4: bytes.removeLast(random.below(bytes.count))
        default: bytes.insert(contentsOf: bytes[place...].prefix(random.below(24)), at: place)
        }
    }

    private func insert(
        _ id: String,
        _ parent: String?,
        _ sequence: UInt64,
        deleted: Bool = false,
        hasAttachments: Bool = false,
        into tree: inout RevisionTree
    ) throws {
        try tree.insert(
            RevisionID(id),
            parent: parent.map { text throws(StorageError) in try RevisionID(text) },
            deleted: deleted,
            hasAttachments: hasAttachments,
            sequence: sequence
        )
    }

    /// The bytes in hexadecimal, with the spaces of the expected text left out of the comparison.
    private func hex(_ tree: RevisionTree) -> HexText {
        var bytes: [UInt8] = []
        tree.encode(into: &bytes)
        return HexText(bytes)
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        let digits = Array(text.filter { $0 != " " })
        return try stride(from: 0, to: digits.count, by: 2).map { place in
            try #require(UInt8(String(digits[place...(place + 1)]), radix: 16))
        }
    }
}

/// Bytes in hexadecimal, equal to their text with spaces anywhere.
struct HexText: Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    let description: String

    init(_ bytes: [UInt8]) {
        description = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    init(stringLiteral text: String) {
        description = text.filter { $0 != " " }
    }
}
