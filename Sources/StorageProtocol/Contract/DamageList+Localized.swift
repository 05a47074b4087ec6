// Only FoundationEssentials where it exists: the engines do without the rest of Foundation.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DamageList: LocalizedError {
    /// The number of problems and the first three of them.
    public var errorDescription: String? {
        let shown = problems.prefix(3).map(\.description).joined(separator: "; ")
        let more = problems.count > 3 ? "; and \(problems.count - 3) more" : ""
        return "The files are damaged (\(problems.count)): \(shown)\(more). Restore them from a copy or an export."
    }
}
