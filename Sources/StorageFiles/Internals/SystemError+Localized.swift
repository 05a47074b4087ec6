// Not all of Foundation, which the engines do without.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SystemError: LocalizedError {
    /// The system's text, and the errno.
    package var errorDescription: String? { description }
}
