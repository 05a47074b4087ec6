internal import JWTKit
internal import SetteeDocumentValues

/// The payload of a token whose signature is right. What it says is checked by `TokenVerifier`.
struct TokenClaims: JWTPayload {
    let members: JSONObject

    init(from decoder: any Decoder) throws { members = try JSONObject(from: decoder) }

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }

    func verify(using algorithm: some JWTAlgorithm) {}
}
