// Only FoundationEssentials where it exists: the engines do without the rest of Foundation.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StorageError: LocalizedError {
    /// The `message`.
    public var errorDescription: String? { message }

    /// The description of the underlying error; nil if there is none.
    public var failureReason: String? {
        guard let cause else { return nil }
        return (cause as? any LocalizedError)?.errorDescription ?? String(describing: cause)
    }

    /// The remedy for errors with this code, if it does not depend on the call.
    public var recoverySuggestion: String? {
        switch code {
        case .conflict: "Read the document again, and repeat the change."
        case .busy, .inUse: "Try again later."
        case .full: "Free disk space, and try again."
        case .corrupt: "Run a check, and restore from a copy or an export."
        case .readOnly: "Open the database for writing, where its folder can be written."
        case .notOpen: "Open the database again."
        case .superseded: "Use the newest version of the program."
        default: nil
        }
    }
}
