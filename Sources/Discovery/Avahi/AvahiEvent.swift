internal import CSetteeAvahi
internal import StorageProtocol

/// An event of a connection, in values that outlive it.
enum AvahiEvent: Sendable {
    case started
    case failed(StorageError)
    case named(String)
    case found(Appearance)
    case gone(Appearance.ID)
    case daemonGone
    case ended

    /// Longer texts are cut, after which they break a rule.
    private static let longest = 512

    init(_ event: settee_avahi_event) {
        switch unsafe event.kind {
        case SETTEE_AVAHI_STARTED: self = .started
        case SETTEE_AVAHI_FAILED:
            self = unsafe .failed(.noDiscovery(event.error, String(decoding: Self.bytes(event.reason), as: UTF8.self)))
        case SETTEE_AVAHI_NAMED: self = unsafe .named(String(decoding: Self.bytes(event.name), as: UTF8.self))
        case SETTEE_AVAHI_FOUND: self = unsafe .found(Appearance(event, id: Self.id(event)))
        case SETTEE_AVAHI_GONE: self = unsafe .gone(Self.id(event))
        case SETTEE_AVAHI_DAEMON_GONE: self = .daemonGone
        default: self = .ended
        }
    }

    private static func id(_ event: settee_avahi_event) -> Appearance.ID {
        unsafe Appearance.ID(interface: event.interface, version: event.protocol, name: bytes(event.name))
    }

    /// The bytes before the terminator.
    fileprivate static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        guard let text = unsafe text else { return [] }
        var bytes: [UInt8] = []
        while bytes.count < longest {
            let byte = unsafe UInt8(bitPattern: text[bytes.count])
            if byte == 0 { break }
            bytes.append(byte)
        }
        return bytes
    }

    fileprivate static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: min(count, longest)))
    }
}

extension Appearance {
    fileprivate init(_ event: settee_avahi_event, id: ID) {
        self.id = id
        unsafe host = AvahiEvent.bytes(event.host)
        unsafe address = AvahiEvent.bytes(event.address, event.address_length)
        unsafe interfaceName = String(decoding: AvahiEvent.bytes(event.interface_name), as: UTF8.self)
        unsafe port = event.port
        texts = unsafe UnsafeBufferPointer(start: event.texts, count: event.text_count).map { text in
            unsafe AvahiEvent.bytes(text.bytes, text.length)
        }
    }
}
