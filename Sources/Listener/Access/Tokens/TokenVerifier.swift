internal import JWTKit
internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// Verifies tokens by the rules of the configuration.
struct TokenVerifier: Sendable {
    /// Longer ones are refused unread.
    static let longest = 8 << 10

    let rules: TokenRules

    /// Returns the user that a token names, and when the token ends; nil if it is not good. Why is not said: it
    /// helps only who forges them.
    ///
    /// - Parameter now: Seconds since 1970.
    func user(_ token: String, at now: Int64) async -> (user: UserContext, end: Int64)? {
        guard token.utf8.count <= TokenVerifier.longest, let header = header(of: token) else { return nil }
        for key in candidates(header) {
            guard let claims = await claims(of: token, by: key) else { continue }
            return user(claims, at: now)
        }
        return nil
    }

    /// The header, read here: jwt-kit would take the key before it compares `alg` with it, and the extensions that
    /// `crit` names must be understood (RFC 7515, section 4.1.11).
    private func header(of token: String) -> JSONObject? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ Base64URL.decode($0)?.isEmpty == false }),
            let json = Base64URL.decode(parts[0]), let header = (try? JSONValue(parsing: json))?.objectValue,
            header["crit"] == nil
        else { return nil }
        return header
    }

    /// The keys that may have signed: never one of another algorithm than the header's.
    private func candidates(_ header: JSONObject) -> [TokenKey] {
        guard let algorithm = header["alg"]?.stringValue else { return [] }
        let keys = rules.keys.filter { TargetText($0.algorithm) == TargetText(algorithm) }
        guard let value = header["kid"] else { return keys }
        guard let id = value.stringValue else { return [] }
        let named = keys.filter { $0.id.map { TargetText($0) } == TargetText(id) }
        return named.isEmpty ? keys.filter { $0.id == nil } : named
    }

    private func claims(of token: String, by key: TokenKey) async -> JSONObject? {
        let keys = JWTKeyCollection()
        switch key.material {
        case .hs256(let secret): await keys.add(hmac: secret, digestAlgorithm: .sha256)
        case .rs256(let key): await keys.add(rsa: key, digestAlgorithm: .sha256)
        case .es256(let key): await keys.add(ecdsa: key)
        }
        return try? await keys.verify(token, as: TokenClaims.self).members
    }

    private func user(_ claims: JSONObject, at now: Int64) -> (user: UserContext, end: Int64)? {
        guard let end = claims["exp"]?.doubleValue, Double(now) < end,
            let name = claims["sub"]?.stringValue, UserNames.isAllowed(name),
            isBegun(claims["nbf"], at: now), isIssuer(claims["iss"]), isAudience(claims["aud"])
        else { return nil }
        let last = Int64(min(end, 1e15).rounded(.up))
        guard let roles = claims[rules.rolesClaim] else { return (UserContext(name: name, roles: []), last) }
        guard let values = roles.arrayValue else { return nil }
        let names = values.compactMap(\.stringValue)
        guard names.count == values.count, UserNames.areAllowed(roles: names) else { return nil }
        return (UserContext(name: name, roles: names), last)
    }

    private func isBegun(_ claim: JSONValue?, at now: Int64) -> Bool {
        guard let claim else { return true }
        return claim.doubleValue.map { Double(now) >= $0 } ?? false
    }

    private func isIssuer(_ claim: JSONValue?) -> Bool {
        guard let issuer = rules.issuer else { return true }
        return claim?.stringValue.map { TargetText($0) } == TargetText(issuer)
    }

    private func isAudience(_ claim: JSONValue?) -> Bool {
        guard let audience = rules.audience else { return true }
        let values = claim?.arrayValue ?? claim.map { [$0] } ?? []
        return values.contains { $0.stringValue.map { TargetText($0) } == TargetText(audience) }
    }
}
