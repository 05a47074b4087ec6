/// Which hosts requests may name. Where everybody may do everything, a name that anybody can point to this machine must
/// not do; addresses cannot be pointed elsewhere.
enum AllowedHosts: Sendable {
    /// With users it does not matter.
    case all
    /// The loopback, and the names that the configuration has.
    case loopback(Set<HostName>)
    /// All addresses, the loopback's name, and the names that the configuration has.
    case addresses(Set<HostName>)

    func allow(_ host: HostName) -> Bool {
        switch self {
        case .all: true
        case .loopback(let names): host.isLoopback || names.contains(host)
        case .addresses(let names): host.isLoopback || host.kind == .address || names.contains(host)
        }
    }
}
