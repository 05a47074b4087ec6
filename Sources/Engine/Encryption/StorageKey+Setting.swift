internal import StorageProtocol

extension StorageKey {
    /// Checks that a key may be set for a database. A key that opens one is not checked, because an earlier version may
    /// have set it.
    ///
    /// - Throws: `badParameter` (495) for a raw key of equal bytes, and for a passphrase with a line break or a zero
    ///   byte.
    func requireSettable() throws(StorageError) {
        let reason = withBytes { (bytes) -> String? in
            var first: UInt8?
            var (isUniform, hasBreak) = (true, false)
            for index in 0..<bytes.byteCount {
                let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                if byte != first ?? byte { isUniform = false }
                first = byte
                if byte == 0 || byte == 0x0A || byte == 0x0D { hasBreak = true }
            }
            switch kind {
            case .raw where isUniform:
                return "A raw key of equal bytes is the first that anybody tries. Make one from random bytes."
            case .passphrase where hasBreak:
                return "The passphrase has a line break or a zero byte, which nobody can type. Choose one without it."
            default: return nil
            }
        }
        if let reason { throw StorageError(.badParameter, reason) }
    }
}
