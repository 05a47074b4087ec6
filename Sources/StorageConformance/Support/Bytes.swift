internal import StorageProtocol

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }
}

/// Returns the bytes of the text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns the bytes as text, for messages and for comparing what is known to be ASCII.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
func text(_ bytes: RawSpan) -> String { text(Array(copying: bytes)) }
