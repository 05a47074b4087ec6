internal import CSetteeLZ4
internal import StorageProtocol

/// Text that bodies are likely to repeat: LZ4 refers to it instead of writing it out. Immutable, and shared by all
/// transactions of an engine.
@safe
final class CompressionDictionary: @unchecked Sendable {
    // Sendable because nothing changes after `init`.

    /// The maximum length in bytes: LZ4 refers back by at most this distance.
    static let maximumLength = 65_535

    /// The number, from 1, by which bodies refer to it.
    let version: UInt32
    /// Distinguishes dictionaries that were made with the same version, because a transaction was rolled back.
    let identity: Identity
    private let bytes: UnsafeMutableRawBufferPointer
    /// A stream that has read the dictionary, to be copied: reading it takes as long as compressing 20 documents.
    private let prepared: UnsafeMutablePointer<LZ4_stream_t>?

    /// 128 random bits.
    struct Identity: Equatable {
        let low: UInt64
        let high: UInt64

        static func random() -> Identity {
            Identity(low: .random(in: 0...UInt64.max), high: .random(in: 0...UInt64.max))
        }
    }

    /// Copies the last `maximumLength` bytes of `contents`.
    init(version: UInt32, identity: Identity = .random(), contents: UnsafeRawBufferPointer) {
        let kept = unsafe UnsafeRawBufferPointer(rebasing: contents.suffix(CompressionDictionary.maximumLength))
        self.version = version
        self.identity = identity
        unsafe bytes = .allocate(byteCount: kept.count, alignment: 16)
        unsafe bytes.copyMemory(from: kept)
        unsafe prepared = LZ4_createStream()
        if let prepared = unsafe prepared {
            unsafe LZ4_loadDict(prepared, bytes.characters, Int32(bytes.count))
        }
    }

    deinit {
        unsafe LZ4_freeStream(prepared)
        unsafe bytes.deallocate()
    }

    /// The bytes, valid as long as the dictionary.
    var contents: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(bytes) }

    /// Turns `stream` into one that has read the dictionary. A stream contains no address of itself, so it can be
    /// copied.
    ///
    /// - Returns: False if there was no memory to read it.
    func load(into stream: UnsafeMutablePointer<LZ4_stream_t>) -> Bool {
        guard let prepared = unsafe prepared else { return false }
        unsafe UnsafeMutableRawPointer(stream).copyMemory(from: prepared, byteCount: Int(LZ4_sizeofState()))
        return true
    }
}
