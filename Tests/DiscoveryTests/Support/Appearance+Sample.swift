@testable internal import SetteeDiscovery

extension Appearance {
    /// An appearance that keeps all rules.
    static func sample(
        _ name: String = "Studio",
        interface: Int32 = 2,
        host: String = "studio.local",
        address: [UInt8] = [192, 0, 2, 7],
        port: UInt16 = 5984,
        texts: [String] = ["path=/", "uuid=a1b2", "tls=0"]
    ) -> Appearance {
        Appearance(
            id: ID(interface: interface, version: address.count == 4 ? 0 : 1, name: Array(name.utf8)),
            host: Array(host.utf8),
            address: address,
            interfaceName: "eth0",
            port: port,
            texts: texts.map { Array($0.utf8) }
        )
    }
}
