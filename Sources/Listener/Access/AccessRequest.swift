package import HTTPTypes

/// What a request says of where it comes from.
package struct AccessRequest: Sendable {
    package var method: HTTPRequest.Method
    /// The host of HTTP/2's `:authority`, or of the Host header.
    package var authority: String?
    package var headers: HTTPFields
    /// The client's address, without the port.
    package var remoteAddress: String
    /// Whether the connection is one of TLS.
    package var isSecure: Bool
    /// The client's certificate in DER, if it has shown one that the TLS configuration accepted.
    package var clientCertificate: [UInt8]?

    package init(
        method: HTTPRequest.Method,
        authority: String?,
        headers: HTTPFields,
        remoteAddress: String,
        isSecure: Bool = false,
        clientCertificate: [UInt8]? = nil
    ) {
        self.method = method
        self.authority = authority
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
        self.clientCertificate = clientCertificate
    }

    /// Whether the method changes nothing, by its definition.
    var isSafe: Bool { method == .get || method == .head || method == .options }

    /// All hosts that it names. Different ones contradict each other.
    var hosts: [String] {
        let host = HTTPField.Name("Host").map { headers[values: $0] } ?? []
        return (authority.map { [$0] } ?? []) + host
    }

    /// The address that failed logins are counted by.
    var addressGroup: AddressGroup { AddressGroup(remoteAddress) }
}
