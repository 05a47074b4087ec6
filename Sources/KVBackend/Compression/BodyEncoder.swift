internal import CSetteeLZ4
internal import StorageEngineKit
internal import StorageProtocol

/// Compresses bodies one after another in its own memory, which grows with the longest. Belongs to one thread.
@safe
final class BodyEncoder {
    /// Bodies below this length do not get shorter.
    private static let shortest = 24

    private var scratch: UnsafeMutableRawBufferPointer
    private let stream: UnsafeMutablePointer<LZ4_stream_t>?

    init() {
        unsafe scratch = .allocate(byteCount: 4096, alignment: 16)
        unsafe stream = LZ4_createStream()
    }

    deinit {
        unsafe LZ4_freeStream(stream)
        unsafe scratch.deallocate()
    }

    /// Returns the body compressed with LZ4, or unchanged if that is not longer or there is no memory for LZ4. Valid
    /// until the next call, and as long as `json`.
    ///
    /// - Parameter dictionary: What the body may refer to; nil: only itself.
    /// - Complexity: O(length); copies 16 KiB if there is a dictionary.
    func encode(_ json: UnsafeRawBufferPointer, with dictionary: CompressionDictionary?) -> StoredBody {
        guard json.count >= Self.shortest, json.count <= RecordDraft.maximumBodyLength,
            let length = unsafe compress(json, with: dictionary)
        else { return unsafe .plain(json) }
        return unsafe .encoded(UnsafeRawBufferPointer(rebasing: scratch[..<length]))
    }

    /// Leaves the stored form in `scratch`. Returns nil unless it is shorter than the plain one.
    private func compress(_ json: UnsafeRawBufferPointer, with dictionary: CompressionDictionary?) -> Int? {
        guard let stream = unsafe stream else { return nil }
        defer { withExtendedLifetime(dictionary) {} }
        reserve(json.count)
        unsafe scratch[0] = BodyParts.Form.compressed.rawValue
        var offset = 1
        unsafe Varint.write(UInt64(dictionary?.version ?? 0), to: scratch, &offset)
        unsafe Varint.write(UInt64(json.count), to: scratch, &offset)
        let checksum = offset
        offset += 4
        let block = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[offset..<json.count])
        let written: Int32
        if let dictionary {
            guard unsafe dictionary.load(into: stream) else { return nil }
            written = unsafe LZ4_compress_fast_continue(
                stream,
                json.characters,
                block.characters,
                Int32(json.count),
                Int32(block.count),
                1
            )
        } else {
            written = unsafe LZ4_compress_fast_extState(
                stream,
                json.characters,
                block.characters,
                Int32(json.count),
                Int32(block.count),
                1
            )
        }
        guard written > 0 else { return nil }
        let sum = unsafe Checksum.crc32(json)
        unsafe scratch.storeBytes(of: sum.littleEndian, toByteOffset: checksum, as: UInt32.self)
        return offset + Int(written)
    }

    private func reserve(_ count: Int) {
        guard unsafe count > scratch.count else { return }
        unsafe scratch.deallocate()
        unsafe scratch = .allocate(byteCount: max(count, 2 * scratch.count), alignment: 16)
    }
}
