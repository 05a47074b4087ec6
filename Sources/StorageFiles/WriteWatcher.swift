#if os(Linux)
package import Dispatch
internal import SetteeSystemLibrary

/// Tells when a file directly in a folder is written, by any process of this machine (inotify). Writes into mapped
/// memory and those of other machines are not seen, so this is a hint and not a promise.
///
/// @unchecked: the source is made by `init` and cancelled by `deinit`, and nothing else.
package final class WriteWatcher: @unchecked Sendable {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Nil where the system has no more watchers (`fs.inotify.max_user_instances`).
    ///
    /// - Parameters:
    ///   - queue: where `written` is called.
    ///   - written: called once after each `arm`.
    package init?(on queue: DispatchQueue, _ written: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { if WriteWatcher.readAll(descriptor) { written() } }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Watches a folder until the next write. A folder that is watched already stays so. A link is not followed.
    ///
    /// - Returns: whether it is watched.
    @discardableResult
    package func arm(_ folder: String) -> Bool {
        // After one event the kernel forgets the folder: those that write much meanwhile wake nobody.
        let once = UInt32(truncatingIfNeeded: IN_ONESHOT)
        let mask = UInt32(IN_MODIFY) | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW) | once
        return unsafe inotify_add_watch(descriptor, folder, mask) >= 0
    }

    /// - Returns: whether a file was written.
    private static func readAll(_ descriptor: Int32) -> Bool {
        var wasWritten = false
        let head = MemoryLayout<inotify_event>.size
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
        defer { unsafe buffer.deallocate() }
        while true {
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return wasWritten }
            var place = 0
            while place + head <= count {
                let event = unsafe buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                // Behind the event comes word that the kernel has forgotten the folder (IN_IGNORED).
                if event.mask & (UInt32(IN_MODIFY) | UInt32(IN_Q_OVERFLOW)) != 0 { wasWritten = true }
                place += head + Int(event.len)
            }
        }
    }
}
#endif
