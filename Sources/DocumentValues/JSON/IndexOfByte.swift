internal import SetteeSystemLibrary

/// Returns the index of the first occurrence of a byte, or nil if there is none (`memchr`).
@unsafe
func indexOfByte(_ byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let found = unsafe memchr(start, CInt(byte), bytes.count) else { return nil }
    return unsafe UnsafeRawPointer(found) - start
}
