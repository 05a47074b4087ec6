public import Foundation
internal import StorageProtocol

/// Why a replication stopped, or a document was not passed on.
public struct ReplicationError: Error, Sendable, Equatable {
    public enum Code: String, Sendable {
        /// It may succeed later: no connection, a timeout, a server in trouble, a full disk.
        case transient
        /// The other side wants a login, or another one.
        case unauthorized
        /// The other side refuses this, or a validation function does.
        case forbidden
        case notFound
        case conflict
        /// The content of an attachment cannot be had.
        case missingAttachment
        case tooLarge
        case readOnly
        /// The document cannot be stored, or the request is malformed.
        case badDocument
        /// TLS without trust: a wrong pin, an expired certificate.
        case untrusted
        /// An answer that is not what the protocol says.
        case badAnswer
        /// The configuration contradicts itself.
        case badConfiguration
        /// A filter or resolver of the app threw.
        case callback
        /// The document has been in conflict too often to be resolved once more.
        case conflictPersists
        /// The other side has refused every document that a push had for it.
        case allRefused
    }

    public var code: Code
    /// The HTTP status; 0 if there was no answer.
    public var status: Int
    /// Without content of documents and without secrets.
    public var message: String

    public init(_ code: Code, status: Int = 0, _ message: String) {
        self.code = code
        self.status = status
        self.message = message
    }

    /// Whether the same may succeed later without anybody's help.
    public var isTransient: Bool { code == .transient }
}

extension ReplicationError: LocalizedError {
    public var errorDescription: String? { status == 0 ? message : "\(message) (\(status))" }
}

extension ReplicationError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(message)" + (status == 0 ? "" : " (\(status))") }
}

extension ReplicationError {
    /// Any error as one of these.
    init(_ error: any Error) {
        if let error = error as? ReplicationError {
            self = error
        } else if let error = error as? PeerError {
            self.init(Code(error.kind), status: error.status, error.message)
        } else if let error = error as? StorageError {
            // Of a URL or a setting.
            self.init(.badConfiguration, status: error.status, error.message)
        } else if error is PeerChanged {
            self.init(.transient, status: 500, "A database became another one, or an older one, again and again.")
        } else if error is CancellationError {
            self.init(.transient, "The replication was stopped.")
        } else {
            self.init(.transient, status: 500, "An error of type \(type(of: error)).")
        }
    }
}

extension ReplicationError.Code {
    init(_ kind: PeerError.Kind) {
        self =
            switch kind {
            case .transient: .transient
            case .unauthorized: .unauthorized
            case .forbidden: .forbidden
            case .notFound: .notFound
            case .conflict: .conflict
            case .missingAttachment: .missingAttachment
            case .tooLarge: .tooLarge
            case .readOnly: .readOnly
            case .badDocument: .badDocument
            case .untrusted: .untrusted
            case .badAnswer: .badAnswer
            }
    }
}
