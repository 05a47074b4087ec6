#if RocksDB
// Only FoundationEssentials where it exists: the engines do without the rest of Foundation.
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension RocksDBFailure: LocalizedError {
    /// The kind of RocksDB's status, and the file that it names.
    var errorDescription: String? { description }
}
#endif
