/// A service as it appears on one network interface with one version of IP. Nothing of it is checked.
struct Appearance: Sendable {
    struct ID: Hashable, Sendable {
        var interface: Int32
        var version: Int32
        var name: [UInt8]
    }

    var id: ID
    var host: [UInt8]
    /// 4 or 16 bytes.
    var address: [UInt8]
    var interfaceName: String
    var port: UInt16
    /// The strings of the TXT record.
    var texts: [[UInt8]]
}
