#if os(Linux)
internal import Dispatch
internal import SetteeEngine
internal import SetteeSystemLibrary

/// Linux's messages about interfaces, addresses and routes (rtnetlink), of the network namespace of the thread that
/// makes it.
///
/// @unchecked: the source is made by `init` and cancelled by `deinit`, and nothing else.
final class RoutingSocket: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// Nil where such sockets are not allowed.
    ///
    /// - Parameter changed: called after each message of this kind, on a queue of its own.
    init?(_ changed: @escaping @Sendable () -> Void) {
        let descriptor = RoutingSocket.open()
        guard descriptor >= 0 else {
            Log.log(.notice, .sync, "changes of the network cannot be watched (errno \(errno))")
            return nil
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "settee.network")
        )
        source.setEventHandler { if RoutingSocket.readAll(descriptor) { changed() } }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    #if canImport(Glibc)
    private static let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    #else
    private static let kind = SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK
    #endif

    private static func open() -> Int32 {
        let descriptor = socket(AF_NETLINK, kind, RoutingMessages.protocolNumber)
        guard descriptor >= 0 else { return -1 }
        let address = RoutingMessages.address
        let status = unsafe address.withUnsafeBytes { bytes in
            unsafe bind(
                descriptor,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(bytes.count)
            )
        }
        guard status == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return -1
        }
        return descriptor
    }

    /// Reads what has come.
    ///
    /// - Returns: whether it tells of a change.
    private static func readAll(_ descriptor: Int32) -> Bool {
        var isChange = false
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
            }
            if count > 0 {
                if RoutingMessages.tellOfChange(buffer[..<count]) { isChange = true }
            } else if count < 0, errno == ENOBUFS {
                // There were more than the kernel keeps.
                isChange = true
            } else if count == 0 || errno != EINTR {
                return isChange
            }
        }
    }
}
#endif
