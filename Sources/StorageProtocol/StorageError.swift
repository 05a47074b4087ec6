/// What failed in a database, and how to remedy it.
///
/// `code` is for programs, `message` for people: it names the failure and the remedy, and never contains document
/// content or keys. `cause` is the underlying error, if there is one.
public struct StorageError: Error, Sendable {
    /// The kind of failure. Programs should decide by this, never by the text.
    public var code: Code
    /// What failed and how to remedy it, without document content.
    public var message: String
    /// The underlying error, for example from the file system.
    public var cause: (any Error)?
    /// Where in the source the error was created, as `Module/File.swift:line`.
    public var location: String

    public init(
        _ code: Code,
        _ message: String,
        cause: (any Error)? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.location = "\(fileID):\(line)"
    }

    /// The status number of `code`: an HTTP status, or one of Couchbase Lite's internal numbers (490...599).
    public var status: Int { code.status }
}

extension StorageError: CustomStringConvertible {
    public var description: String { "\(status) \(code): \(message)" }
}

extension StorageError {
    /// A write to a database that was opened read-only.
    public static var readOnly: StorageError {
        StorageError(.readOnly, "The database is open read-only. Open it without the readOnly option to write.")
    }

    /// Damage found in stored data.
    public static func corrupt(
        _ what: String,
        cause: (any Error)? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> StorageError {
        StorageError(
            .corrupt,
            "\(what). Run `settee check` to list the damage, and restore from a copy or an export.",
            cause: cause,
            fileID: fileID,
            line: line
        )
    }
}
