internal import Crypto
internal import Foundation
internal import NIOHTTP1
internal import SetteeCouchProtocol

/// Signs requests with HMAC-SHA1 (RFC 5849, section 3.4.2).
struct OAuthSignature {
    private let credentials: OAuthCredentials
    private let time: Int
    private let nonce: String

    /// - Parameters:
    ///   - time: Seconds since 1970.
    ///   - nonce: A text that no other request has.
    init(
        _ credentials: OAuthCredentials,
        time: Int = Int(Date.now.timeIntervalSince1970),
        nonce: String = OAuthSignature.newNonce()
    ) {
        self.credentials = credentials
        self.time = time
        self.nonce = nonce
    }

    /// Some servers take 20 to 30 letters and digits only.
    private static func newNonce() -> String {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return String((0..<24).map { _ in digits[Int.random(in: digits.indices)] })
    }

    /// Returns the Authorization header of a request. The signature does not cover its body, which is JSON.
    func header(_ request: RemoteRequest, _ endpoint: RemoteEndpoint) -> String {
        var fields = [
            ("oauth_consumer_key", credentials.consumerKey), ("oauth_token", credentials.token),
            ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", String(time)), ("oauth_nonce", nonce),
            ("oauth_version", "1.0"),
        ]
        let text = base(request.method.rawValue, request.address(at: endpoint), fields + request.query)
        fields.append(("oauth_signature", signature(of: text)))
        return "OAuth " + fields.map { "\($0)=\"\(PercentCoding.encode($1))\"" }.joined(separator: ", ")
    }

    /// The text that is signed (section 3.4.1).
    func base(_ method: String, _ url: String, _ parameters: [(String, String)]) -> String {
        let pairs = parameters.map { (PercentCoding.encode($0), PercentCoding.encode($1)) }
        // Escaped text is ASCII, so that its bytes are in the order of its characters.
        let sorted = pairs.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }
        let list = sorted.map { "\($0)=\($1)" }.joined(separator: "&")
        return "\(method)&\(PercentCoding.encode(url))&\(PercentCoding.encode(list))"
    }

    func signature(of text: String) -> String {
        let key = PercentCoding.encode(credentials.consumerSecret) + "&" + PercentCoding.encode(credentials.tokenSecret)
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Data(text.utf8),
            using: SymmetricKey(data: Data(key.utf8))
        )
        return Data(code).base64EncodedString()
    }
}
