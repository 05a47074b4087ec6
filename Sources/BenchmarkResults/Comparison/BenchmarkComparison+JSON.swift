public import Foundation

extension BenchmarkComparison {
    /// The comparison as JSON, with members in the order of their names and without a line feed at the end. Changes are
    /// parts: 0.1 is 10 % more. `verdict` is `higher`, `lower`, `no difference shown` or `too few rounds`.
    ///
    /// - Throws: an `EncodingError` if a figure is not finite.
    public func json(onOneLine: Bool = false) throws -> Data {
        let report = Report(
            rows: rows.map(Report.Row.init),
            notComparable: notComparable,
            onlyInOld: onlyInOld,
            onlyInNew: onlyInNew,
            environmentDifferences: environmentDifferences,
            isWorse: isWorse
        )
        return try Data(json: report, onOneLine: onOneLine)
    }

    private struct Report: Encodable {
        struct Row: Encodable {
            let engine: String
            let workload: String
            let documents: Int
            let unit: String
            let oldOpsPerSecond: Double
            let newOpsPerSecond: Double
            let change: Double?
            let verdict: String
            let p99Change: Double?
            let bytesOnDiskChange: Double?
            let peakMemoryChange: Double?

            init(_ row: BenchmarkComparison.Row) {
                engine = row.new.engine
                workload = row.new.workload
                documents = row.new.documents
                unit = row.new.unit
                oldOpsPerSecond = row.old.opsPerSecond
                newOpsPerSecond = row.new.opsPerSecond
                change = row.change
                verdict = row.verdict.description
                p99Change = row.p99Change
                bytesOnDiskChange = row.bytesOnDiskChange
                peakMemoryChange = row.peakMemoryChange
            }
        }

        let rows: [Row]
        let notComparable: [NotComparable]
        let onlyInOld: [BenchmarkEntry.Key]
        let onlyInNew: [BenchmarkEntry.Key]
        let environmentDifferences: [Difference]
        let isWorse: Bool
    }
}
