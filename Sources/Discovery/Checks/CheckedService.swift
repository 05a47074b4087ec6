/// What is taken of an appearance: parts that keep the rules.
struct CheckedService: Sendable {
    let identity: PeerIdentity
    let address: PeerAddress
    let port: Int
    let path: String
    let uuid: String?
    let usesTLS: Bool

    /// - Returns: nil if any part that is used breaks a rule.
    init?(_ appearance: Appearance) {
        guard let name = String(validating: appearance.id.name, as: UTF8.self), ServiceRules.isName(name),
            var host = String(validating: appearance.host, as: UTF8.self)
        else { return nil }
        if host.hasSuffix(".") { host.removeLast() }
        guard ServiceRules.isHost(host), appearance.port != 0,
            let address = PeerAddress(bytes: appearance.address, interfaceName: appearance.interfaceName)
        else { return nil }
        let texts = ServiceTexts(appearance.texts)
        guard let path = texts.value(of: "path", or: "/"), ServiceRules.isPath(path) else { return nil }
        guard let uuid = texts.value(of: "uuid", or: ""), uuid.isEmpty || ServiceRules.isUUID(uuid) else { return nil }
        guard let tls = texts.value(of: "tls", or: "0"), tls == "0" || tls == "1" else { return nil }
        identity = PeerIdentity(name: name, host: host)
        self.address = address
        port = Int(appearance.port)
        self.path = path
        self.uuid = uuid.isEmpty ? nil : uuid
        usesTLS = tls == "1"
    }
}

/// What tells peers apart: two computers may use one name on networks that do not see each other.
struct PeerIdentity: Hashable, Sendable {
    let name: String
    let host: String
}
