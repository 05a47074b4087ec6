internal import SetteeSystemLibrary

/// Calls `read` under a name that methods named `read` do not hide.
@unsafe
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
