internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import SetteeCouchProtocol
internal import StorageConformance
internal import Testing

@testable internal import SetteeListener

/// Tokens and keys that are almost good. What reads them has checks that end a program.
@Suite struct TokenPieceTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let secret = Array("a secret of at least 32 bytes, really".utf8)

    private static func token(header: String, claims: String, signature: [UInt8]? = nil) -> String {
        let text = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: secret))
        return text + "." + Base64URL.encode(signature ?? Array(code))
    }

    private static func keys() throws -> [TokenKey] {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.pemRepresentation
        return [
            try .hs256(secret: secret), try .rs256(publicKey: rsa),
            try .es256(publicKey: P256.Signing.PrivateKey().publicKey.pemRepresentation),
        ]
    }

    static let headers = [
        #"{"alg":"HS256"}"#, #"{"alg":"ES256"}"#, #"{"alg":"RS256"}"#, #"{"alg":"HS256","x5c":[]}"#,
        #"{"alg":"HS256","x5c":["AA=="],"b64":false}"#, #"{"alg":"HS256","typ":1}"#, #"{"alg":"HS256","cty":[]}"#,
        #"{"alg":"HS256","kid":"x"}"#, #"{"alg":"HS256","jwk":{}}"#, #"{"alg":"HS256","x":1e400}"#,
        #"{"alg":"HS256","x":18446744073709551615}"#, #"{"alg":"HS256","x":1e308}"#,
    ]

    static let claims = [
        #"{"sub":"ida","exp":1900000000,"aud":[]}"#, #"{"sub":"ida","exp":1900000000,"aud":{}}"#,
        #"{"sub":"ida","exp":1e308}"#, #"{"sub":"ida","exp":-1e308}"#, #"{"sub":"ida","exp":18446744073709551615}"#,
        #"{"sub":"ida","exp":1e999}"#, #"{"sub":"","exp":1900000000}"#, "{}", "[]", "1", "null", "", "{",
        #"{"sub":"\u0000","exp":1900000000,"nbf":1e308,"iat":"x","iss":[],"jti":1}"#,
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        #"{"sub":"ida","exp":1900000000,"x":"# + String(repeating: "[", count: 505)
            + String(repeating: "]", count: 505) + "}",
        #"{"sub":"ida","exp":1900000000,"x":"# + String(repeating: #"{"a":"#, count: 505) + "1"
            + String(repeating: "}", count: 505) + "}",
        String(repeating: "[", count: 5_000),
    ]

    @Test("any header with any claims and any signature is a login or none", arguments: headers)
    func tokens(header: String) async throws {
        let verifier = TokenVerifier(rules: try TokenRules(keys: try Self.keys()))
        let signatures: [[UInt8]?] = [nil, [], [1], Array(repeating: 0, count: 64), Array(repeating: 255, count: 64)]
        let others = [63, 65, 72, 128, 256, 257, 512].map { Array(repeating: UInt8(7), count: $0) }
        for claims in Self.claims {
            for signature in signatures + others {
                _ = await verifier.user(
                    Self.token(header: header, claims: claims, signature: signature),
                    at: 1_800_000_000
                )
            }
        }
    }

    @Test("changed tokens, 200,000 in the long form")
    func changed() async throws {
        let seed: UInt64 = Self.isLong ? .random(in: 0 ... .max) : 57
        var random = SeededGenerator(seed: seed)
        let verifier = TokenVerifier(rules: try TokenRules(keys: try Self.keys()))
        let alphabet = Array("ABCabc019-_=.{}[]\"\\ü\u{0}".utf8)
        for _ in 0..<(Self.isLong ? 200_000 : 2_000) {
            let header = Self.headers[random.below(Self.headers.count)]
            let claims = Self.claims[random.below(Self.claims.count)]
            var token = Array(Self.token(header: header, claims: claims).utf8)
            for _ in 0...random.below(3) where !token.isEmpty {
                let place = random.below(token.count)
                switch random.below(3) {
                case 0: token[place] = alphabet[random.below(alphabet.count)]
                case 1: token.remove(at: place)
                default: token.insert(alphabet[random.below(alphabet.count)], at: place)
                }
            }
            _ = await verifier.user(String(decoding: token, as: UTF8.self), at: 1_800_000_000)
        }
    }

    /// In a file of the administrator's.
    @Test("changed keys in PEM are keys or errors, 100,000 in the long form")
    func keys() throws {
        let seed: UInt64 = Self.isLong ? .random(in: 0 ... .max) : 57
        var random = SeededGenerator(seed: seed)
        let good = [
            try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.derRepresentation,
            P256.Signing.PrivateKey().publicKey.derRepresentation,
            P384.Signing.PrivateKey().publicKey.derRepresentation,
            Curve25519.Signing.PrivateKey().publicKey.rawRepresentation, Data(),
        ].map(Array.init)
        for _ in 0..<(Self.isLong ? 100_000 : 1_000) {
            var der = good[random.below(good.count)]
            for _ in 0..<random.below(4) where !der.isEmpty {
                let place = random.below(der.count)
                switch random.below(4) {
                case 0: der[place] = UInt8.random(in: 0...255, using: &random)
                case 1: der[place] = [0, 1, 0x7F, 0x80, 0x81, 0x84, 0xFF][random.below(7)]
                case 2: der.remove(at: place)
                default: der.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            let kind = ["PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE", "EC PARAMETERS", "ü", ""][random.below(6)]
            let pem = "-----BEGIN \(kind)-----\n\(Data(der).base64EncodedString())\n-----END \(kind)-----\n"
            let cut = random.below(8) == 0 ? String(pem.prefix(random.below(pem.count))) : pem
            _ = try? TokenKey.rs256(publicKey: cut)
            _ = try? TokenKey.es256(publicKey: cut)
            _ = SelfSignedPair.isValid(key: Array(cut.utf8), certificate: Array(cut.utf8))
        }
    }
}
