import Foundation
import SetteeBenchmarkResults
import Testing

@Suite("The comparison of two files")
struct ComparisonTests {
    private static let old = Sample.file([
        Sample.entry("sqlite", "insert-batch"),
        Sample.entry("sqlite", "scan"),
        Sample.entry("lmdb", "scan", documents: 10_000),
        Sample.entry("memory", "scan"),
    ])

    @Test("A run compared with itself shows no difference")
    func itself() {
        let comparison = BenchmarkComparison(old: Self.old, new: Self.old)
        #expect(comparison.rows.map(\.verdict) == Array(repeating: .noDifferenceShown, count: 4))
        #expect(comparison.rows.allSatisfy { $0.change == 0 })
        #expect(!comparison.isWorse)
        #expect(comparison.notes() == [])
        #expect(comparison.environmentDifferences == [])
    }

    @Test("Lower rates are worse, higher ones and noisy ones are not")
    func verdicts() throws {
        let new = Sample.file([
            Sample.entry("sqlite", "insert-batch", rates: [790, 800, 810]),
            Sample.entry("sqlite", "scan", rates: [1190, 1200, 1210]),
            Sample.entry("lmdb", "scan", rates: [400, 800, 1600]),
            Sample.entry("memory", "scan", rates: [10]),
        ])
        let comparison = BenchmarkComparison(old: Self.old, new: new)
        #expect(
            comparison.rows.map(\.verdict) == [.lower(by: 0.8), .higher(by: 1.2), .noDifferenceShown, .unknown]
        )
        #expect(comparison.isWorse)
        let table = comparison.table()
        #expect(table[0] == ["engine", "workload", "documents", "old", "new", "change", "verdict"])
        #expect(table[1] == ["sqlite", "insert-batch", "10,000", "1,000", "800 documents/s", "-20 %", "lower"])
        #expect(table[2][5...] == ["+20 %", "higher"])
        #expect(table[4][5...] == ["-99 %", "too few rounds"])
        // Without the only lower one it is not worse: one round is no verdict.
        var better = new
        better.results.removeFirst()
        #expect(!BenchmarkComparison(old: Self.old, new: better).isWorse)
    }

    @Test("Sizes, memory and latencies are plain changes")
    func plainChanges() throws {
        func file(_ factor: Double, latencyOf: String = "operation") -> BenchmarkFile {
            var entry = Sample.entry("sqlite")
            entry.bytesOnDisk = 1000 * factor
            entry.peakMemory = factor == 1 ? nil : 500
            entry.latency = BenchmarkEntry.Latency(
                of: latencyOf,
                p50: 1,
                p99: 40 * factor,
                p999: 90,
                maximum: 100,
                curve: []
            )
            return Sample.file([entry])
        }
        let row = try #require(BenchmarkComparison(old: file(1), new: file(1.5)).rows.first)
        #expect(row.bytesOnDiskChange == 0.5 && row.p99Change == 0.5 && row.peakMemoryChange == nil)
        let table = BenchmarkComparison(old: file(1), new: file(1.5)).table()
        #expect(table[0].suffix(2) == ["p99", "on disk"] && table[1].suffix(2) == ["+50 %", "+50 %"])
        let other = BenchmarkComparison(old: file(1), new: file(1.5, latencyOf: "transaction"))
        #expect(other.rows.first?.p99Change == nil)
    }

    @Test("Entries of one file, and with other numbers of documents, are named and not compared")
    func entriesApart() {
        let new = Sample.file([
            Sample.entry("sqlite", "insert-batch"),
            Sample.entry("lmdb", "scan", documents: 20_000),
            Sample.entry("sqlite", "scan", documents: 500),
            Sample.entry("sqlite", "scan", documents: 10_000),
            Sample.entry("sqlcipher", "scan"),
        ])
        let comparison = BenchmarkComparison(old: Self.old, new: new)
        #expect(comparison.rows.map(\.new.workload) == ["insert-batch", "scan"])
        #expect(comparison.onlyInOld == [Self.old.results[3].key])
        #expect(comparison.onlyInNew == [new.results[2].key, new.results[4].key])
        #expect(comparison.notComparable.map(\.engine) == ["lmdb"])
        #expect(comparison.notComparable.map(\.workload) == ["scan"])
        #expect(comparison.notComparable.map(\.reason) == ["documents 10,000 and 20,000"])
        #expect(comparison.notes().contains("memory, scan, 10,000 documents: only in the old file"))
    }

    @Test(
        "Other durability, IDs or data make all entries incomparable",
        arguments: ["durability", "documentIDs", "data"]
    )
    func conditions(name: String) {
        var new = Self.old
        switch name {
        case "durability": new.environment.durability = "another"
        case "documentIDs": new.environment.documentIDs = "another"
        default: new.environment.data = "another"
        }
        new.results[0].rounds = [1, 1, 1].map(BenchmarkRound.init)
        let comparison = BenchmarkComparison(old: Self.old, new: new)
        #expect(comparison.rows.isEmpty && !comparison.isWorse)
        #expect(comparison.notComparable.count == 4)
        #expect(comparison.notComparable.allSatisfy { $0.reason.contains(name) && $0.reason.contains("another") })
        #expect(comparison.table().count == 1)
    }

    @Test("Whatever else the environments differ in is named, but for the date")
    func environments() {
        var new = Self.old
        new.environment.date = "2027-01-01T00:00:00Z"
        new.environment.cores = 8
        new.environment.commit = nil
        new.environment.libraries = ["SQLite": "3.46.0", "SQLCipher": "4.5"]
        let comparison = BenchmarkComparison(old: Self.old, new: new)
        let lines = comparison.environmentDifferences.map { "\($0.name) \($0.old ?? "-") \($0.new ?? "-")" }
        #expect(
            Set(lines) == [
                "cores 2 8", "commit 793a341 -", "library SQLite 3.40.1 3.46.0", "library LMDB 0.9.24 -",
                "library SQLCipher - 4.5",
            ]
        )
        #expect(comparison.rows.count == 4)
    }

    @Test("Its JSON holds what the table holds")
    func json() throws {
        let new = Sample.file([Sample.entry("sqlite", "insert-batch", rates: [790, 800, 810])])
        let comparison = BenchmarkComparison(old: Self.old, new: new)
        let object = try #require(
            try JSONSerialization.jsonObject(with: comparison.json()) as? [String: Any]
        )
        let row = try #require((object["rows"] as? [[String: Any]])?.first)
        #expect(row["verdict"] as? String == "lower" && row["engine"] as? String == "sqlite")
        #expect(row["oldOpsPerSecond"] as? Double == 1000 && row["newOpsPerSecond"] as? Double == 800)
        #expect(abs((row["change"] as? Double ?? 0) + 0.2) < 1e-9)
        #expect(object["isWorse"] as? Bool == true)
        #expect((object["onlyInOld"] as? [Any])?.count == 3)
        #expect(try !comparison.json(onOneLine: true).contains(UInt8(ascii: "\n")))
    }
}
