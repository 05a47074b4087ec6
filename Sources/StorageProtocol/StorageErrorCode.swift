extension StorageError {
    /// The kinds of failure. A struct over a private enum, so that kinds can be added without breaking a switch.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Int, Hashable, Sendable {
            case badRequest
            case unauthorized
            case readOnly
            case rejected
            case notFound
            case conflict
            case exists
            case superseded
            case tooLarge
            case inUse
            case unexpected
            case notImplemented
            case notOpen
            case full
            case badEncoding
            case badAttachment
            case attachmentNotFound
            case badJSON
            case badID
            case badParameter
            case deleted
            case invalidStorageType
            case fileSystem
            case storage
            case corrupt
            case attachmentStore
            case callback
            case busy
            case cancelled
            case unsupportedFormat
        }

        private let kind: Kind
        /// An HTTP status, or one of Couchbase Lite's internal numbers.
        public let status: Int

        private init(_ kind: Kind, _ status: Int) {
            self.kind = kind
            self.status = status
        }

        public static func == (a: Code, b: Code) -> Bool { a.kind == b.kind }
        public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

        /// The name of the kind, as printed by `--json`: `badJSON`, `conflict`, ...
        public var description: String { "\(kind)" }

        /// 400: the request contradicts itself, or a revision ID is malformed.
        public static var badRequest: Code { Code(.badRequest, 400) }
        /// 401: wrong key, or no key for an encrypted database.
        public static var unauthorized: Code { Code(.unauthorized, 401) }
        /// 403: the database or its folder cannot be written.
        public static var readOnly: Code { Code(.readOnly, 403) }
        /// 403: a validation refused the change.
        public static var rejected: Code { Code(.rejected, 403) }
        /// A validation refused the change with a status of its own; the same kind as `rejected`.
        public static func rejected(status: Int) -> Code { Code(.rejected, status) }
        /// 404: no such document, revision or database.
        public static var notFound: Code { Code(.notFound, 404) }
        /// 409: the parent is not the current revision.
        public static var conflict: Code { Code(.conflict, 409) }
        /// 412: what should be created already exists.
        public static var exists: Code { Code(.exists, 412) }
        /// 412: another program has set another version of the view.
        public static var superseded: Code { Code(.superseded, 412) }
        /// 413: a document, revision tree or collation key over its limit.
        public static var tooLarge: Code { Code(.tooLarge, 413) }
        /// 423: another process (or another part of this one) uses the database.
        public static var inUse: Code { Code(.inUse, 423) }
        /// 500: a failure that has no code of its own.
        public static var unexpected: Code { Code(.unexpected, 500) }
        /// 501: not available in this build.
        public static var notImplemented: Code { Code(.notImplemented, 501) }
        /// 503: the database was closed or deleted.
        public static var notOpen: Code { Code(.notOpen, 503) }
        /// 507: the disk (or the store's own limit) is full.
        public static var full: Code { Code(.full, 507) }
        /// 490: bytes that are not UTF-8 where text is needed.
        public static var badEncoding: Code { Code(.badEncoding, 490) }
        /// 491: a malformed attachment entry.
        public static var badAttachment: Code { Code(.badAttachment, 491) }
        /// 492: the content of an attachment is missing.
        public static var attachmentNotFound: Code { Code(.attachmentNotFound, 492) }
        /// 493: text that is not JSON, or JSON that a document cannot hold.
        public static var badJSON: Code { Code(.badJSON, 493) }
        /// 494: a document ID or database name that is not allowed.
        public static var badID: Code { Code(.badID, 494) }
        /// 495: a parameter out of its range.
        public static var badParameter: Code { Code(.badParameter, 495) }
        /// 496: the document is deleted.
        public static var deleted: Code { Code(.deleted, 496) }
        /// 497: an unknown storage type, or one other than the database's.
        public static var invalidStorageType: Code { Code(.invalidStorageType, 497) }
        /// 498: a file or folder could not be opened, created or moved.
        public static var fileSystem: Code { Code(.fileSystem, 498) }
        /// 590: the storage engine failed.
        public static var storage: Code { Code(.storage, 590) }
        /// 591: damaged data.
        public static var corrupt: Code { Code(.corrupt, 591) }
        /// 591: a format version that this program does not know, or a folder that is not a database.
        public static var unsupportedFormat: Code { Code(.unsupportedFormat, 591) }
        /// 592: the attachment store failed.
        public static var attachmentStore: Code { Code(.attachmentStore, 592) }
        /// 593: the database was called where that is not allowed, or a closure misbehaved.
        public static var callback: Code { Code(.callback, 593) }
        /// 595: the engine stayed busy longer than the time-out.
        public static var busy: Code { Code(.busy, 595) }
        /// 596: cancelled.
        public static var cancelled: Code { Code(.cancelled, 596) }

        /// Whether the same call may succeed later without any change.
        public var isRetryable: Bool { self == .busy || self == .inUse }
        /// Whether this is a failure of the store, as opposed to a refusal before anything was written.
        public var isStorageFailure: Bool {
            status >= 500 && ![.rejected, .notImplemented, .notOpen, .callback, .cancelled].contains(self)
        }
    }
}
