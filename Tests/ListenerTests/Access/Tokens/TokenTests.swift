internal import Crypto
internal import CryptoExtras
internal import HTTPTypes
internal import JWTKit
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct TokenTests {
    private static let secret = Array("a secret of at least 32 bytes, really".utf8)
    private static let now: Int64 = 1_800_000_000
    private static let good: JSONObject = [
        "sub": "ida", "exp": JSONValue(now + 60), "_couchdb.roles": ["writer", "sales"],
    ]

    /// A token with any header and claims, signed as HS256 is.
    private static func token(
        _ claims: String,
        header: String = #"{"alg":"HS256","typ":"JWT"}"#,
        secret: [UInt8] = secret
    ) -> String {
        let text = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: secret))
        return text + "." + Base64URL.encode(code)
    }

    private static func token(_ claims: JSONObject, header: String = #"{"alg":"HS256"}"#) -> String {
        token(claims.description, header: header)
    }

    private func user(
        _ token: String,
        _ keys: [TokenKey]? = nil,
        audience: String? = nil,
        issuer: String? = nil,
        rolesClaim: String = "_couchdb.roles"
    ) async throws -> UserContext? {
        let rules = try TokenRules(
            keys: keys ?? [.hs256(secret: Self.secret)],
            audience: audience,
            issuer: issuer,
            rolesClaim: rolesClaim
        )
        return await TokenVerifier(rules: rules).user(token, at: Self.now)?.user
    }

    @Test func logsIn() async throws {
        let expected = UserContext(name: "ida", roles: ["writer", "sales"])
        #expect(try await user(Self.token(Self.good)) == expected)
        let rules = try TokenRules(keys: [.hs256(secret: Self.secret)])
        let fixture = PolicyFixture(.none) { $0.tokens = rules }
        let request = AccessRequest.make(.put, ["Authorization": "Bearer \(Self.token(Self.good))"])
        let access = try await fixture.policy.decide(request, needs: .databaseWrite)
        #expect(access.user == expected && access.method == .token)
        let info = fixture.policy.session(access)["info"]
        #expect(info?["authenticated"] == "jwt")
        #expect(info?["authentication_handlers"] == ["cookie", "default", "jwt"])
        // Where tokens log in, nobody is let in without.
        guard case .failure(let refusal) = await fixture.decide(.make()) else {
            Issue.record("Somebody without a token was let in.")
            return
        }
        #expect(refusal.error.status == 401 && refusal.headers[.wwwAuthenticate] == "Bearer realm=\"Settee\"")
        #expect(await fixture.status(.make(.get, ["Authorization": "Bearer x"]), needs: .open) == 401)
    }

    /// The tokens of other libraries' keys, signed by jwt-kit.
    @Test func takesRSAAndP256() async throws {
        let rsa = try Insecure.RSA.PrivateKey(backing: _RSA.Signing.PrivateKey(keySize: .bits2048))
        let curve = ES256PrivateKey()
        let keys: [TokenKey] = [
            try .rs256(publicKey: rsa.publicKey.pemRepresentation),
            try .es256(publicKey: curve.publicKey.pemRepresentation),
        ]
        let payload = TestPayload(sub: "ida", exp: Self.now + 1)
        let signers = [
            await JWTKeyCollection().add(rsa: rsa, digestAlgorithm: .sha256),
            await JWTKeyCollection().add(ecdsa: curve),
        ]
        for signer in signers {
            let token = try await signer.sign(payload)
            #expect(try await user(token, keys)?.name == "ida")
            var changed = Array(token.utf8)
            changed[changed.count - 10] = changed[changed.count - 10] == 0x41 ? 0x42 : 0x41
            #expect(try await user(String(decoding: changed, as: UTF8.self), keys) == nil)
            #expect(try await user(token) == nil)
        }
        // A longer digest is another algorithm.
        let long = try await JWTKeyCollection().add(rsa: rsa, digestAlgorithm: .sha384).sign(payload)
        #expect(try await user(long, keys) == nil)
        let padded = try await JWTKeyCollection().add(pss: rsa, digestAlgorithm: .sha256).sign(payload)
        #expect(try await user(padded, keys) == nil)
    }

    /// The public key is public: whoever has it must not be able to sign with it as a secret.
    @Test func algorithmsAreNotConfused() async throws {
        let curve = ES256PrivateKey()
        let pem = curve.publicKey.pemRepresentation
        for secret in [Array(pem.utf8), Array((pem + "\n").utf8), Array("\n\(pem)".utf8)] {
            let error = #expect(throws: StorageError.self) { try TokenKey.hs256(secret: secret) }
            #expect(error?.code == .badParameter)
            let forged = Self.token(Self.good.description, secret: secret)
            #expect(try await user(forged, [.es256(publicKey: pem)]) == nil)
            let keys: [TokenKey] = [try .es256(publicKey: pem), try .hs256(secret: Self.secret)]
            #expect(try await user(forged, keys) == nil)
        }
        // Nor does the header choose the key of another algorithm by its name.
        let named = Self.token(Self.good, header: #"{"alg":"HS256","kid":"k"}"#)
        #expect(try await user(named, [.es256(publicKey: pem, id: "k")]) == nil)
        let claimed = Self.token(Self.good, header: #"{"alg":"ES256"}"#)
        #expect(try await user(claimed) == nil)
    }

    @Test(
        arguments: [
            #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"NONE"}"#, #"{"alg":"nOnE"}"#, #"{"alg":""}"#,
            #"{"alg":null}"#, #"{"alg":1}"#, #"{}"#, #"{"typ":"JWT"}"#, #"{"alg":"hs256"}"#, #"{"alg":"HS384"}"#,
            #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"HS256","crit":null}"#, #"{"alg":"HS256","kid":1}"#,
            #"["HS256"]"#, #""HS256""#, "HS256",
        ]
    )
    func refusesHeaders(header: String) async throws {
        #expect(try await user(Self.token(Self.good, header: header)) == nil)
        let unsigned = Self.token(Self.good, header: header).split(separator: ".").prefix(2).joined(separator: ".")
        for text in [unsigned, unsigned + "."] { #expect(try await user(text) == nil) }
    }

    /// jwt-kit's own type for headers cannot hold such numbers.
    @Test(arguments: ["1e300", "-1e300", "18446744073709551615", "0.1", "[1e300]", #"{"a":1e300}"#])
    func otherMembersOfTheHeaderDoNoHarm(value: String) async throws {
        let token = Self.token(Self.good, header: #"{"alg":"HS256","x":\#(value)}"#)
        #expect(try await user(token)?.name == "ida")
        // With a wrong signature as well.
        #expect(try await user(token + "A") == nil)
    }

    @Test func keysAreChosenByName() async throws {
        let other = Array("another secret of at least 32 bytes.".utf8)
        let keys: [TokenKey] = [try .hs256(secret: other, id: "old"), try .hs256(secret: Self.secret, id: "new")]
        for (header, isGood) in [
            (#"{"alg":"HS256","kid":"new"}"#, true), (#"{"alg":"HS256","kid":"old"}"#, false),
            (#"{"alg":"HS256","kid":"none"}"#, false), (#"{"alg":"HS256","kid":"../new"}"#, false),
            (#"{"alg":"HS256"}"#, true),
        ] {
            #expect(try await (user(Self.token(Self.good, header: header), keys) != nil) == isGood, "\(header)")
        }
        let unnamed = Self.token(Self.good, header: #"{"alg":"HS256","kid":"any"}"#)
        #expect(try await user(unnamed) != nil, "a key without a name is for all")
    }

    private static let claims: [(String, Bool)] = [
        (#"{"sub":"ida","exp":1800000001}"#, true), (#"{"sub":"ida","exp":1800000000.5}"#, true),
        (#"{"sub":"ida","exp":1e300}"#, true), (#"{"sub":"ida","exp":1800000000}"#, false),
        (#"{"sub":"ida","exp":0}"#, false), (#"{"sub":"ida","exp":-1e300}"#, false), (#"{"sub":"ida"}"#, false),
        (#"{"sub":"ida","exp":"1800000001"}"#, false), (#"{"sub":"ida","exp":null}"#, false),
        (#"{"sub":"ida","exp":true}"#, false), (#"{"sub":"ida","exp":1900000000,"nbf":1800000000}"#, true),
        (#"{"sub":"ida","exp":1900000000,"nbf":1800000001}"#, false),
        (#"{"sub":"ida","exp":1900000000,"nbf":"1"}"#, false), (#"{"exp":1900000000}"#, false),
        (#"{"sub":"","exp":1900000000}"#, false), (#"{"sub":1,"exp":1900000000}"#, false),
        (#"{"sub":"a\u0000b","exp":1900000000}"#, false),
        (#"{"sub":"ida","exp":1900000000,"_couchdb.roles":"_admin"}"#, false),
        (#"{"sub":"ida","exp":1900000000,"_couchdb.roles":[1]}"#, false),
        (#"{"sub":"ida","exp":1900000000,"_couchdb.roles":null}"#, false), ("[]", false), ("null", false), ("{", false),
    ]

    @Test(arguments: claims) func checksClaims(claims: String, isGood: Bool) async throws {
        #expect(try await (user(Self.token(claims)) != nil) == isGood)
    }

    @Test func checksAudienceAndIssuer() async throws {
        func token(_ more: String) -> String { Self.token(#"{"sub":"ida","exp":1900000000\#(more)}"#) }
        for (more, isGood) in [
            (#","aud":"settee""#, true), (#","aud":["a","settee"]"#, true), (#","aud":"other""#, false),
            (#","aud":[]"#, false), (#","aud":["settee2"]"#, false), (#","aud":1"#, false), (#","aud":{}"#, false),
            ("", false),
        ] {
            #expect(try await (user(token(more), audience: "settee") != nil) == isGood, "\(more)")
        }
        for (more, isGood) in [
            (#","iss":"https://id.example""#, true), (#","iss":"https://id.example/""#, false),
            (#","iss":["https://id.example"]"#, false), ("", false),
        ] {
            #expect(try await (user(token(more), issuer: "https://id.example") != nil) == isGood, "\(more)")
        }
        #expect(try await user(token(#","groups":["reader"]"#), rolesClaim: "groups")?.roles == ["reader"])
        #expect(try await user(token(""))?.roles == [])
    }

    @Test(
        arguments: [
            "", ".", "..", "...", "a.b.c", "e30.e30.e30", "e30.e30.", ".e30.e30", String(repeating: "A", count: 9_000),
            String(repeating: ".", count: 8_000), "e30=.e30.e30", "\u{1F40E}.a.b",
        ]
    )
    func refusesJunk(token: String) async throws {
        #expect(try await user(token) == nil)
    }

    @Test(arguments: 0..<10) func survivesChangedTokens(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let token = Array(Self.token(Self.good).utf8)
        for _ in 0..<50 {
            var changed = token
            changed[generator.below(token.count - 1)] = UInt8(generator.below(0x60) + 0x20)
            guard changed != token else { continue }
            #expect(try await user(String(decoding: changed, as: UTF8.self)) == nil, "seed \(seed)")
        }
    }

    @Test func refusesKeys() {
        let badKeys: [() throws -> TokenKey] = [
            { try .hs256(secret: []) },
            { try .hs256(secret: [UInt8](repeating: 1, count: 31)) },
            { try .rs256(publicKey: "") },
            { try .rs256(publicKey: ES256PrivateKey().publicKey.pemRepresentation) },
            { try .es256(publicKey: "-----BEGIN PUBLIC KEY-----\nAAAA\n") },
        ]
        for make in badKeys {
            let error = #expect(throws: StorageError.self) { try make() }
            #expect(error?.code == .badParameter)
        }
        #expect(throws: StorageError.self) { try TokenRules(keys: []) }
        #expect(throws: StorageError.self) {
            try TokenRules(keys: Array(repeating: try .hs256(secret: Self.secret), count: 17))
        }
    }

    @Test func certificatesLogIn() async throws {
        let fixture = PolicyFixture(.none) { configuration in
            configuration.certificates = { der in der == [1, 2] ? UserContext(name: "kit", roles: ["reader"]) : nil }
        }
        var request = AccessRequest.make()
        #expect(await fixture.status(request) == 401)
        request.clientCertificate = [9]
        #expect(await fixture.status(request) == 401)
        request.clientCertificate = [1, 2]
        let access = try await fixture.policy.decide(request, needs: .serverRead)
        #expect(access.user.name == "kit" && access.method == .certificate)
        #expect(await fixture.status(request, needs: .databaseWrite) == 403)
    }
}

private struct TestPayload: JWTPayload {
    var sub: String
    var exp: Int64
    func verify(using algorithm: some JWTAlgorithm) {}
}
