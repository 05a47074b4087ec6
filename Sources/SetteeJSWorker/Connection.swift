internal import CSetteeJavaScript
internal import SetteeSystemLibrary

/// Frames to and from the host: a length of 4 bytes, little end first, and as many bytes.
///
/// The host ends this process, so there is nobody to report to when a frame is malformed: the process ends.
struct Connection {
    /// Reads the next frame, and ends the process if there is none.
    func receive() -> [UInt8] {
        let head = read(4)
        let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length > 0, length <= Int(SETTEE_JS_REQUEST_LIMIT) else { exit(65) }
        return read(length)
    }

    private func read(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[filled...])
                let length = unsafe SetteeSystemLibrary.read(0, rest.baseAddress, rest.count)
                if length < 0, errno == EINTR { continue }
                guard length > 0 else { exit(0) }
                filled += length
            }
        }
    }

    /// Writes a frame of two parts.
    func send(_ start: [UInt8], _ rest: RawSpan = RawSpan()) {
        let length = UInt32(clamping: start.count + rest.byteCount)
        let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + start
        unsafe head.withUnsafeBytes { unsafe write($0) }
        unsafe rest.withUnsafeBytes { unsafe write($0) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe bytes[done...]
            let length = unsafe SetteeSystemLibrary.write(
                1,
                UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if length < 0, errno == EINTR { continue }
            guard length > 0 else { exit(0) }
            done += length
        }
    }
}
