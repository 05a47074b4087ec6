internal import SetteeSystemLibrary

/// Where a byte stands first, nil where it does not: memchr.
@unsafe
func indexOfByte(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = unsafe memchr(start, CInt(byte), bytes.count) else { return nil }
    return unsafe UnsafeRawPointer(found) - start
}
