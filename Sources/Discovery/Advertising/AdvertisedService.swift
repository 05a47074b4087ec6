internal import StorageProtocol

/// A server as others on the network are told of it.
public struct AdvertisedService: Sendable {
    /// The name that people see: 1 to 63 bytes of UTF-8, no control characters. Where others use it, a number is added.
    public var name: String
    /// The port that it listens on.
    public var port: Int
    /// The path of its root.
    public var path = "/"
    /// The server's `uuid`, by which it knows itself among peers (`Listener.uuid`).
    public var uuid: String?
    /// Whether it wants TLS.
    public var usesTLS = false

    public init(name: String, port: Int) {
        self.name = name
        self.port = port
    }

    /// Whether a service can have a name: 1 to 63 bytes of UTF-8, no control characters.
    public static func isName(_ name: String) -> Bool { ServiceRules.isName(name) }

    /// The strings of the TXT record.
    var texts: [String] {
        ["path=\(path)"] + (uuid.map { ["uuid=\($0)"] } ?? []) + ["tls=\(usesTLS ? 1 : 0)"]
    }

    /// - Throws: `badParameter` (495) if a part breaks the rules that browsers hold it to.
    func check() throws(StorageError) {
        guard AdvertisedService.isName(name) else {
            throw StorageError(
                .badParameter,
                "The name to advertise must have 1 to \(ServiceRules.nameBytes) bytes, and no control characters."
            )
        }
        guard 1...65_535 ~= port else { throw StorageError(.badParameter, "The port must be from 1 to 65535.") }
        guard ServiceRules.isPath(path) else {
            throw StorageError(
                .badParameter,
                "The path must begin with a slash, have at most \(ServiceRules.pathBytes) bytes, and no query."
            )
        }
        guard uuid.map(ServiceRules.isUUID) ?? true else {
            throw StorageError(.badParameter, "The UUID must consist of letters, digits and hyphens.")
        }
    }
}
