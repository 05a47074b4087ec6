public import Foundation

/// Why a file of results cannot be read. Says nothing of the file's content but names of members.
public enum BenchmarkFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is not of the form of docs/reference/benchmarks.md; what is wrong, and where.
    case notOfTheForm(String)
    /// It has this format, which a later version of Settee writes.
    case laterFormat(Int)

    public var description: String {
        switch self {
        case .notOfTheForm(let reason):
            "It is not a file that `settee bench --output` writes: \(reason)."
        case .laterFormat(let format):
            "It has format \(format), and this version of Settee reads formats up to \(BenchmarkFile.format). "
                + "Read it with the version that wrote it, or a later one."
        }
    }
}

extension BenchmarkFileError: LocalizedError {
    public var errorDescription: String? { description }
}
