internal import JWTKit
public import StorageProtocol

/// A key that verifies JSON Web Tokens, for one algorithm only.
public struct TokenKey: Sendable {
    enum Material: Sendable {
        case hs256(HMACKey)
        case rs256(Insecure.RSA.PublicKey)
        case es256(ES256PublicKey)
    }

    let material: Material
    /// The `kid` of the tokens that this key verifies; nil for those that name no key of the listener.
    let id: String?

    /// A secret that listener and issuer share.
    ///
    /// - Throws: `badParameter` (495) for fewer than 32 bytes, and for text in PEM: whoever has a public key could sign
    ///   with it.
    public static func hs256(secret: [UInt8], id: String? = nil) throws(StorageError) -> TokenKey {
        guard secret.count >= 32 else {
            throw StorageError(.badParameter, "The secret for HS256 has fewer than 32 bytes. Make a longer random one.")
        }
        let text = secret.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard !text.starts(with: "-----BEGIN".utf8) else {
            throw StorageError(
                .badParameter,
                "The secret for HS256 is a key or certificate in PEM. Use RS256 or ES256 with it."
            )
        }
        return TokenKey(material: .hs256(HMACKey(from: secret)), id: id)
    }

    /// An RSA public key, as PEM, of at least 2,048 bits.
    ///
    /// - Throws: `badParameter` (495) for anything else.
    public static func rs256(publicKey pem: String, id: String? = nil) throws(StorageError) -> TokenKey {
        do {
            return TokenKey(material: .rs256(try Insecure.RSA.PublicKey(pem: pem)), id: id)
        } catch {
            throw StorageError(
                .badParameter,
                "The key for RS256 is no RSA public key of at least 2,048 bits in PEM. Give one."
            )
        }
    }

    /// A public key on the curve P-256, as PEM.
    ///
    /// - Throws: `badParameter` (495) for anything else.
    public static func es256(publicKey pem: String, id: String? = nil) throws(StorageError) -> TokenKey {
        do {
            return TokenKey(material: .es256(try ES256PublicKey(pem: pem)), id: id)
        } catch {
            throw StorageError(.badParameter, "The key for ES256 is no public key on the curve P-256 in PEM. Give one.")
        }
    }

    /// The only `alg` that the key is used for.
    var algorithm: String {
        switch material {
        case .hs256: "HS256"
        case .rs256: "RS256"
        case .es256: "ES256"
        }
    }
}
