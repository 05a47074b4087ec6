internal import Foundation

/// The results of `settee bench`, in the form of its output file.
struct BenchReport: Encodable {
    struct Environment: Encodable {
        var system: String
        var processor: String
        var cores: Int
        var durability: String
        var documentIDs: String
        var rounds: Int
        var build: String
    }

    /// One workload on one engine: medians of the rounds.
    struct Entry: Encodable {
        var engine: String
        var workload: String
        var documents: Int
        var opsPerSecond: Double
        /// The rate of the counterpart in the same rounds, which is the plain-C program unless stated otherwise; null
        /// if there was none.
        var baselineOpsPerSecond: Double?
        /// The median of the ratios of the rounds.
        var ratio: Double?
        /// The same ratio for rates per second of processor time of all threads.
        var cpuRatio: Double?
        /// The size of the database's files afterwards.
        var bytesOnDisk: Double?
        /// The 99th percentile of one operation in microseconds: with no other work, and beside another thread's work.
        var idleP99: Double?
        var p99: Double?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(engine, forKey: .engine)
            try container.encode(workload, forKey: .workload)
            try container.encode(documents, forKey: .documents)
            try container.encode(opsPerSecond, forKey: .opsPerSecond)
            try container.encode(baselineOpsPerSecond, forKey: .baselineOpsPerSecond)
            try container.encode(ratio, forKey: .ratio)
            try container.encode(cpuRatio, forKey: .cpuRatio)
            try container.encodeIfPresent(bytesOnDisk, forKey: .bytesOnDisk)
            try container.encodeIfPresent(idleP99, forKey: .idleP99)
            try container.encodeIfPresent(p99, forKey: .p99)
        }

        enum CodingKeys: String, CodingKey {
            case engine
            case workload
            case documents
            case opsPerSecond
            case baselineOpsPerSecond
            case ratio
            case cpuRatio
            case bytesOnDisk
            case idleP99
            case p99
        }
    }

    var environment: Environment
    var results: [Entry] = []

    func json(onOneLine: Bool = false) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
        return try encoder.encode(self)
    }

    /// Returns a page with one table.
    func html() -> String {
        let rows = results.map { entry in
            let ratio = entry.ratio.map { String(format: "%.2f", $0) } ?? ""
            let cpuRatio = entry.cpuRatio.map { String(format: "%.2f", $0) } ?? ""
            let baseline = entry.baselineOpsPerSecond.map { String(format: "%.0f", $0) } ?? ""
            let figures = [
                entry.engine, entry.workload, "\(entry.documents)", String(format: "%.0f", entry.opsPerSecond),
                baseline, ratio, cpuRatio,
            ]
            return "<tr>" + figures.map { "<td>\($0)</td>" }.joined() + "</tr>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Settee benchmark</title>
            <style>body{font-family:sans-serif}td,th{padding:.2em .8em;text-align:right}td:nth-child(-n+2){text-align:left}</style>
            </head><body><h1>Settee benchmark</h1>
            <p>\(environment.system), \(environment.processor), \(environment.cores) cores; durability \
            \(environment.durability), \(environment.documentIDs) IDs, medians of \(environment.rounds) rounds.</p>
            <table><thead><tr><th>engine</th><th>workload</th><th>documents</th><th>documents/s</th>
            <th>plain C/s</th><th>ratio</th><th>CPU ratio</th></tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></body></html>

            """
    }
}

/// Returns the median.
func median(_ figures: [Double]) -> Double {
    let sorted = figures.sorted()
    guard let last = sorted.last else { return 0 }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : min(sorted[middle], last)
}
