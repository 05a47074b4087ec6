// Only FoundationEssentials where it exists: the engines do without the rest of Foundation.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SystemError: LocalizedError {
    /// The text of the system, and the errno.
    package var errorDescription: String? { description }
}
