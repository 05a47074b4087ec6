internal import CSetteeAvahi
internal import SetteeSystemLibrary
internal import StorageProtocol

/// A connection to Avahi's daemon, with a thread of its own. It ends when this is released.
@safe
final class AvahiConnection: Sendable {
    private static let serviceType = "_settee._tcp"
    /// Two objects of the daemon for each would be its limit of 1,024 for one client.
    private static let appearances = 512

    /// Unsafe: the C code lets any thread end the connection, once; all else happens on the connection's own thread.
    nonisolated(unsafe) private let handle: OpaquePointer

    /// Receives events on the connection's thread, one at a time.
    typealias Receiver = @Sendable (AvahiEvent) -> Void

    private final class Context {
        let receive: Receiver
        init(_ receive: @escaping Receiver) { self.receive = receive }
    }

    private init(
        _ receive: @escaping Receiver,
        _ open: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(StorageError) {
        // Released by the last event.
        let context = unsafe Unmanaged.passRetained(Context(receive))
        guard let handle = unsafe open(context.toOpaque()) else {
            unsafe context.release()
            throw StorageError(.fileSystem, "The system has no thread or no memory left for finding peers.")
        }
        unsafe self.handle = handle
    }

    deinit { unsafe settee_avahi_end(handle) }

    static func browse(_ receive: @escaping Receiver) throws(StorageError) -> AvahiConnection {
        try unsafe AvahiConnection(receive) { context in
            unsafe settee_avahi_browse(serviceType, appearances, handler, context)
        }
    }

    static func advertise(
        _ service: AdvertisedService,
        _ receive: @escaping Receiver
    ) throws(StorageError) -> AvahiConnection {
        let texts = unsafe service.texts.map { unsafe UnsafePointer(strdup($0)) }
        defer { for index in unsafe texts.indices { unsafe free(UnsafeMutablePointer(mutating: texts[index])) } }
        return try unsafe AvahiConnection(receive) { context in
            unsafe settee_avahi_advertise(
                serviceType,
                service.name,
                UInt16(service.port),
                texts,
                texts.count,
                handler,
                context
            )
        }
    }

    private static let handler: settee_avahi_handler = { context, event in
        guard let context = unsafe context, let event = unsafe event else { return }
        let receiver = unsafe Unmanaged<Context>.fromOpaque(context)
        unsafe receiver.takeUnretainedValue().receive(AvahiEvent(event.pointee))
        if unsafe event.pointee.kind == SETTEE_AVAHI_ENDED { unsafe receiver.release() }
    }
}
