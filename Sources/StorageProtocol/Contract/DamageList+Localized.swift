// Not all of Foundation, which the engines do without.
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension DamageList: LocalizedError {
    /// How many problems there are, and what the first ones are.
    public var errorDescription: String? {
        let shown = problems.prefix(3).map(\.description).joined(separator: "; ")
        let more = problems.count > 3 ? "; and \(problems.count - 3) more" : ""
        return "The files are damaged (\(problems.count)): \(shown)\(more). Restore them from a copy or an export."
    }
}
