internal import CSetteeLZ4
internal import StorageEngineKit
internal import StorageProtocol

/// A compressed body's head and block. Valid as long as its bytes.
@safe
struct CompressedBody {
    /// The version of the dictionary that the block refers to; 0: none.
    let dictionaryVersion: UInt32
    /// The length of the JSON in bytes: at least 1, at most the limit of documents.
    let length: Int
    /// CRC-32 of the JSON.
    private let checksum: UInt32
    private let block: UnsafeRawBufferPointer

    /// Reads what follows a body's first byte.
    ///
    /// - Throws: `corrupt` (591), also for a length that the block cannot produce, so that no memory is allocated for
    ///   it.
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var offset = 0
        guard let version = unsafe Varint.read(bytes, &offset).flatMap(UInt32.init(exactly:)),
            let length = unsafe Varint.read(bytes, &offset).flatMap(Int.init(exactly:)), bytes.count - offset > 4
        else { throw .corrupt("A compressed body's head is damaged") }
        checksum = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        unsafe block = UnsafeRawBufferPointer(rebasing: bytes[(offset + 4)...])
        dictionaryVersion = version
        self.length = length
        // A byte of a block stands for at most 255, and a body is only compressed if that makes it shorter.
        guard length <= RecordDraft.maximumBodyLength, unsafe block.count < length, unsafe length / 255 <= block.count
        else {
            throw .corrupt("A compressed body claims an impossible length")
        }
    }

    /// Writes the JSON into a buffer of `length` bytes.
    ///
    /// - Parameter dictionary: The one with `dictionaryVersion`; nil for 0.
    /// - Throws: `corrupt` (591). The content of the buffer is then undefined.
    func decompress(
        with dictionary: CompressionDictionary?,
        into target: UnsafeMutableRawBufferPointer
    ) throws(StorageError) {
        defer { withExtendedLifetime(dictionary) {} }
        let reference = unsafe dictionary?.contents ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let count = unsafe LZ4_decompress_safe_usingDict(
            block.characters,
            target.characters,
            Int32(block.count),
            Int32(length),
            reference.characters,
            Int32(reference.count)
        )
        guard Int(count) == length, unsafe Checksum.crc32(UnsafeRawBufferPointer(target)) == checksum
        else { throw .corrupt("A compressed body is damaged") }
    }
}
