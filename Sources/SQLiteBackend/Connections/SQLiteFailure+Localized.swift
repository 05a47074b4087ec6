// Not all of Foundation, which the engines do without.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension SQLiteFailure: LocalizedError {
    /// SQLite's code and text.
    var errorDescription: String? { description }
}
