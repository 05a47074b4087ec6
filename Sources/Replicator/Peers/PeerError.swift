/// Why a call to a peer failed, or a revision was refused.
struct PeerError: Error, Sendable, Equatable {
    enum Kind: Sendable {
        /// It may succeed later: no connection, a timeout, 429, 500, 502, 503, 504, a full disk.
        case transient
        /// 401: the peer wants a login, or another one.
        case unauthorized
        /// 403, from a validation function or for want of rights.
        case forbidden
        /// 404 or 410.
        case notFound
        /// 409
        case conflict
        /// 412: the peer lacks the content of an attachment that was named only.
        case missingAttachment
        /// 413: half as much may pass.
        case tooLarge
        /// The peer takes no writes of this kind.
        case readOnly
        /// Another 4xx about a document, or one that cannot be stored.
        case badDocument
        /// TLS without trust: a wrong pin, an expired certificate.
        case untrusted
        /// An answer that is not what the protocol says.
        case badAnswer
    }

    var kind: Kind
    /// The HTTP status; for errors of this database the one that the listener would answer.
    var status: Int
    /// Without content of documents and without secrets.
    var message: String
    /// How long the peer asks to wait.
    var retryAfter: Duration?
    /// Whether the answer does not name its error as the protocol does, or is none of the protocol. Then something in
    /// between may have sent it, such as a network's login page.
    var isNameless = false
    /// Whether it is that of a database here.
    var isLocal = false

    init(_ kind: Kind, status: Int = 0, _ message: String, retryAfter: Duration? = nil) {
        self.kind = kind
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Whether an answer with a success could not be read.
    var isBrokenAnswer: Bool { kind == .badAnswer && status == 0 }
}
