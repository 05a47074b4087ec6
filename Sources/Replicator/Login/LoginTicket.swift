/// What logs a request in.
struct LoginTicket: Sendable {
    enum Proof: Sendable {
        case header(name: String, value: String)
        case signature(OAuthCredentials)
    }

    /// Grows with each login.
    var number: Int
    var proof: Proof

    func headers(_ request: RemoteRequest, _ endpoint: RemoteEndpoint) -> [(name: String, value: String)] {
        switch proof {
        case .header(let name, let value): [(name, value)]
        case .signature(let credentials):
            [("Authorization", OAuthSignature(credentials).header(request, endpoint))]
        }
    }
}
