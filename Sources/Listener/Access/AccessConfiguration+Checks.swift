package import StorageProtocol

extension AccessConfiguration {
    /// Checks that the parts agree, and that nobody is let in by oversight.
    ///
    /// - Parameter address: Where the listener will listen: an IP address, or `localhost`. Other names count as other
    ///   machines' addresses.
    /// - Throws: `badParameter` (495).
    package func check(address: String) throws(StorageError) {
        let bare = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        let isLoopback = HostName(bare.utf8)?.isLoopback ?? false
        guard isLoopback || needsLogin || allowsAnyone else {
            throw StorageError(
                .badParameter,
                "The listener would let anyone on the network do everything. Set users, listen on 127.0.0.1, or set "
                    + "allowsAnyone."
            )
        }
        if case .any = crossOrigin.origins, !needsLogin {
            throw StorageError(
                .badParameter,
                "CORS for any origin would let every web page do everything. Set users, or name the origins."
            )
        }
        guard sessionSecret.map({ $0.count >= SessionSigner.shortestSecret }) ?? true else {
            throw StorageError(.badParameter, "The session secret has fewer than 32 bytes. Make a longer random one.")
        }
        guard hosts.allSatisfy({ HostName($0.utf8) != nil }) else {
            throw StorageError(.badParameter, "A host is not a name or an address. Write it without scheme and port.")
        }
    }

    /// Which hosts requests may name.
    var allowedHosts: AllowedHosts {
        if needsLogin { return .all }
        let names = Set(hosts.compactMap { HostName($0.utf8) })
        return allowsAnyone ? .addresses(names) : .loopback(names)
    }
}
