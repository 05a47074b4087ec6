internal import SetteeSystemLibrary

/// `read`, under a name that methods of this name do not hide.
@unsafe
func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
