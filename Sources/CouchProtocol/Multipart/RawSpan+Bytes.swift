internal import SetteeSystemLibrary

extension RawSpan {
    /// The byte at an offset. The offset is checked.
    subscript(offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// Returns the byte at `place` and advances past it. The place is checked.
    func byte(_ place: inout Int) -> UInt8 {
        defer { place += 1 }
        return self[place]
    }

    /// Moves behind the next `byte`, or to the end if there is none (`memchr`).
    func find(_ byte: UInt8, from place: inout Int) -> Bool {
        let start = place
        let found: Int? = unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, CInt(byte), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
        place = found.map { $0 + 1 } ?? byteCount
        return found != nil
    }
}
