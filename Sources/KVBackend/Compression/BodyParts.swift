internal import StorageProtocol

/// The parts of a body as it is stored: see *Bodies* in docs/internals/kv-engine.md. Valid as long as its bytes.
@safe
enum BodyParts {
    /// The JSON itself.
    case raw(UnsafeRawBufferPointer)
    case compressed(CompressedBody)

    /// The first byte.
    enum Form: UInt8 {
        case raw = 0
        case compressed = 1
    }

    /// Splits a stored body and checks all that can be checked without decompressing it.
    ///
    /// - Throws: `corrupt` (591).
    init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        guard let first = unsafe bytes.first, let form = Form(rawValue: first) else {
            throw .corrupt("A stored body begins with no form that is known")
        }
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[1...])
        switch form {
        case .raw:
            // JSON has no control characters, while a compressed body begins with the small number of its dictionary.
            if let character = unsafe rest.first, character < 0x20 { throw .corrupt("A stored body is no JSON") }
            self = unsafe .raw(rest)
        case .compressed:
            self = try unsafe .compressed(CompressedBody(rest))
        }
    }
}
