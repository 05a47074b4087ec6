// Only FoundationEssentials where it exists: the engines do without the rest of Foundation.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension LMDBFailure: LocalizedError {
    /// LMDB's code and text.
    var errorDescription: String? { description }
}
