import StorageProtocol
import Testing

/// Stored checksums depend on it: the hash must be the same in all versions.
@Suite struct ByteHashTests {
    /// How many bytes (3, 10, 17, ...), the seed, and the hash, computed from the definition in
    /// docs/reference/encodings.md.
    private static let known: [(count: Int, seed: UInt64, hash: UInt64)] = [
        (0, 0x0, 0x0000_0000_0000_0000),
        (1, 0x0, 0x7A76_3E61_C64C_BEA9),
        (7, 0x1, 0x2B06_08F6_9A15_5B5C),
        (8, 0x0, 0x7D09_DBC1_3566_4296),
        (9, 0x2, 0xF925_3AC5_8FD9_EE5C),
        (16, 0x0, 0xE922_3B57_CF73_BB68),
        (413, 0xFFFF_FFFF_FFFF_FFFF, 0x4FDF_7413_04FE_69E3),
    ]

    @Test(arguments: known) func hashesStayAsTheyAre(count: Int, seed: UInt64, hash: UInt64) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
        #expect(ByteHash.of(bytes.span.bytes, seed: seed) == hash)
    }
}
