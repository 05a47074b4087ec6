internal import CSetteeAvahi
internal import StorageProtocol

extension StorageError {
    /// Why peers can be neither found nor told of this one.
    ///
    /// - Parameters:
    ///   - error: Avahi's number, or `SETTEE_AVAHI_NO_LIBRARY`.
    ///   - reason: Avahi's text for it.
    static func noDiscovery(_ error: Int32, _ reason: String) -> StorageError {
        #if canImport(Darwin)
        StorageError(
            .notImplemented,
            "Peers are found by Avahi, on Linux: not on this system. Name them by their URLs."
        )
        #else
        if error == SETTEE_AVAHI_NO_LIBRARY {
            StorageError(
                .notImplemented,
                "Peers are found by Avahi, whose library (libavahi-client.so.3) is not installed. "
                    + "Install the packages avahi-daemon and libavahi-client3 (Debian's names)."
            )
        } else {
            StorageError(
                .notImplemented,
                "Avahi's daemon, which finds peers, does not answer: \(reason). Install the packages avahi-daemon and "
                    + "libavahi-client3 (Debian's names), and start the services dbus and avahi-daemon."
            )
        }
        #endif
    }
}
