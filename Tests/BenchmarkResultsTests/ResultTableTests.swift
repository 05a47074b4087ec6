import SetteeBenchmarkResults
import Testing

@Suite("Tables and lines for a terminal")
struct ResultTableTests {
    @Test("A file without results has a head")
    func empty() {
        #expect(Sample.file([]).table() == [["engine", "workload", "documents", "rate", "spread"]])
        #expect(Sample.file([]).notes() == [] && Sample.file([]).verdictLines() == [])
    }

    @Test("Columns are those that any entry has a figure for")
    func columns() {
        var first = Sample.entry("sqlite", rates: [900, 1000, 1200])
        first.cpuMicroseconds = 812.3456789
        first.bytesOnDisk = 12_345_678
        var second = Sample.entry("lmdb", rates: [1_234_567.8])
        second.latency = BenchmarkEntry.Latency(
            of: "operation",
            p50: 0.25,
            p99: 1000,
            p999: 2e6,
            maximum: 3e6,
            curve: []
        )
        #expect(
            Sample.file([first, second]).table() == [
                [
                    "engine", "workload", "documents", "rate", "spread", "CPU µs", "p50 µs", "p99 µs", "p99.9 µs",
                    "MB on disk",
                ],
                [
                    "sqlite", "insert-batch", "10,000", "1,000 documents/s", "±20.0 %", "812.346", "-", "-", "-",
                    "12.3457",
                ],
                [
                    "lmdb", "insert-batch", "10,000", "1,234,568 documents/s", "-", "-", "0.25", "1,000", "2,000,000",
                    "-",
                ],
            ]
        )
    }

    @Test("Extreme figures keep their digits", arguments: [(1e-3, "0.001"), (1e12, "1,000,000,000,000"), (0, "0")])
    func extremes(rate: Double, text: String) {
        #expect(Sample.file([Sample.entry("sqlite", rates: [rate])]).table()[1][3] == text + " documents/s")
    }

    @Test("Notes say what was left out, and what counterparts leave out, each once")
    func notes() {
        var first = Sample.entry("sqlite", "insert-batch")
        first.baseline = "C over SQLite"
        first.baselineLeavesOut = "revisions"
        var second = first
        second.workload = "update"
        let file = Sample.file(
            [first, second, Sample.entry("lmdb")],
            leftOut: [
                BenchmarkFile.LeftOut(engine: "sqlcipher", reason: "no library"),
                BenchmarkFile.LeftOut(engine: "memory", workload: "space", reason: "has no files"),
            ]
        )
        #expect(
            file.notes() == [
                "sqlcipher: left out, no library", "memory, space: left out, has no files",
                "insert-batch and update: the counterpart (C over SQLite) leaves out revisions",
            ]
        )
    }

    @Test("The fastest engine is named if it differs from all others")
    func verdicts() {
        let file = Sample.file([
            Sample.entry("sqlite", "insert-batch"),
            Sample.entry("lmdb", "insert-batch", rates: [1290, 1300, 1310]),
            Sample.entry("memory", "insert-batch", rates: [90, 100, 110]),
            Sample.entry("sqlite", "scan"),
            Sample.entry("lmdb", "scan", rates: [995, 1005, 1015]),
            Sample.entry("memory", "scan", rates: [90, 100, 110]),
            Sample.entry("sqlite", "get"),
            Sample.entry("lmdb", "get", rates: [5000]),
            Sample.entry("sqlite", "get", documents: 50),
            Sample.entry("lmdb", "get", documents: 50, rates: [2000, 2010, 2020]),
            Sample.entry("sqlite", "alone"),
        ])
        #expect(
            file.verdictLines() == [
                "insert-batch: lmdb 1.3 times sqlite", "scan: no difference shown between lmdb and sqlite",
                "get, 50 documents: lmdb 2.01 times sqlite",
                "no verdict with fewer than two rounds: get, 10,000 documents",
            ]
        )
    }

    @Test("Names cannot govern the terminal")
    func controls() {
        let file = Sample.file(
            [Sample.entry("a\u{1B}[2Jb\n", "x\u{202E}y")],
            leftOut: [BenchmarkFile.LeftOut(engine: "e\u{7}", reason: "r\r")]
        )
        #expect(file.table()[1].prefix(2) == ["a\u{FFFD}[2Jb\u{FFFD}", "x\u{FFFD}y"])
        #expect(file.notes() == ["e\u{FFFD}: left out, r\u{FFFD}"])
        #expect(BenchmarkComparison(old: file, new: file).table()[1][0] == "a\u{FFFD}[2Jb\u{FFFD}")
    }

    @Test("The fastest is that of the rounds, whatever medians a file states")
    func statedMedians() throws {
        var slow = Sample.entry("a", rates: [1, 1.01, 1.02])
        slow.opsPerSecond = 1000
        let file = Sample.file([slow, Sample.entry("b", rates: [100, 101, 102])])
        #expect(file.verdictLines().contains { $0.contains("b 100 times a") })
    }

    @Test("Factors without end are no numbers, and trap nothing")
    func extremes() {
        let file = Sample.file([Sample.entry("a", rates: [0, 0]), Sample.entry("b", rates: [1e18, 1e18])])
        #expect(!file.verdictLines().isEmpty)
        #expect(!file.page().isEmpty)
    }

    @Test("Markdown has no markup and no control characters of the file")
    func hostileNames() {
        var file = Sample.file([Sample.entry("<b>|a", "w\u{1B}[2J", group: "g\n# head")])
        file.environment.commandLine = ["bench", "a\n`b`"]
        let text = file.markdown()
        #expect(!text.contains("<b>") && !text.contains("\u{1B}") && !text.contains("\n# head"))
        #expect(text.contains("&lt;b>\\|a"))
    }
}
