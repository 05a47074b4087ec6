public import StorageProtocol

/// Which pages of other origins may use a listener from a browser (CORS).
public struct CrossOriginRules: Sendable {
    enum Origins: Sendable {
        case none
        case any
        case named(Set<WebOrigin>)
    }

    let origins: Origins
    let allowsCredentials: Bool
    /// How long browsers may remember the answer about methods and headers, in seconds.
    let maxAge: Int

    /// Pages of other origins read and change nothing.
    public static let off = CrossOriginRules(origins: .none, allowsCredentials: false, maxAge: 0)

    /// All pages may read and write, with a login that they have themselves: browsers add no cookie. Only for
    /// listeners with users.
    public static let anyOrigin = CrossOriginRules(origins: .any, allowsCredentials: false, maxAge: 600)

    /// The pages of some origins may read and write.
    ///
    /// - Parameters:
    ///   - origins: As browsers write them, `https://app.example:8443`.
    ///   - allowsCredentials: Whether the browser may add the login that it has for the listener, which PouchDB asks
    ///     for with each request. The listener's cookie is `SameSite=Strict`, so that only pages of the same site have
    ///     it.
    /// - Throws: `badParameter` (495) for text that is no origin, as `*` or one with a path.
    public static func origins(
        _ origins: [String],
        allowsCredentials: Bool = true
    ) throws(StorageError) -> CrossOriginRules {
        var named: Set<WebOrigin> = []
        for text in origins {
            guard let origin = WebOrigin(text) else {
                throw StorageError(
                    .badParameter,
                    "An origin for CORS is not written as browsers do. Write it like https://app.example:8443."
                )
            }
            named.insert(origin)
        }
        return CrossOriginRules(origins: .named(named), allowsCredentials: allowsCredentials, maxAge: 600)
    }

    private init(origins: Origins, allowsCredentials: Bool, maxAge: Int) {
        self.origins = origins
        self.allowsCredentials = allowsCredentials
        self.maxAge = maxAge
    }

    /// Whether no page of another origin is allowed.
    var isOff: Bool { if case .none = origins { true } else { false } }

    func allows(_ text: String) -> Bool {
        switch origins {
        case .none: false
        case .any: true
        case .named(let named): WebOrigin(text).map { named.contains($0) } ?? false
        }
    }
}
