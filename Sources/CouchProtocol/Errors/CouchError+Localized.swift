// Only FoundationEssentials where it exists, as in the modules below.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CouchError: LocalizedError {
    /// The status, the name of the error and the reason.
    public var errorDescription: String? { description }
}
