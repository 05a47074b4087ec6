import Foundation
import StorageConformance
import Testing

@testable import SetteeBenchmarkResults

/// The page as a browser lays it out on a phone, a tablet and a desktop, in light and dark.
@Suite("The page in a browser", .serialized, .enabled(if: Browser.program != nil, "needs chromium"))
struct PageLayoutTests {
    private static let engines = ["sqlite", "sqlcipher", "lmdb", "memory"]

    /// A file with `count` entries of every group, of two numbers of documents each.
    private static func file(_ count: Int) -> BenchmarkFile {
        var generator = SeededGenerator(seed: 7)
        let groups = ["write", "read", "query", "mix", "attachment", "space", "life"]
        let entries = (0..<count).map { number in
            Sample.full(
                engines[number % engines.count],
                "workload-\(number / 8)",
                group: groups[number / 8 % groups.count],
                documents: number % 8 < 4 ? 10_000 : 1_000_000,
                rate: Double.random(in: 10...2_000_000, using: &generator),
                using: &generator
            )
        }
        return Sample.file(entries, leftOut: [.init(engine: "rocksdb", reason: "the library is missing")])
    }

    private func expectSound(_ file: BenchmarkFile, charts: Int? = nil) throws {
        for isDark in [false, true] {
            let reports = try Browser(isDark: isDark).check(file.page())
            #expect(reports.map(\.width) == Browser.widths)
            for report in reports {
                #expect(report.problems == [], "\(report.width), dark: \(isDark)")
                #expect(isDark ? report.back < 0.2 : report.back > 0.9)
                if let charts { #expect(report.charts >= charts) }
            }
        }
    }

    @Test("Nothing, one result, and forty", arguments: [0, 1, 40])
    func counts(_ count: Int) throws { try expectSound(PageLayoutTests.file(count), charts: count == 0 ? 0 : 1) }

    @Test("Names with markup in them, and very long ones")
    func names() throws {
        let hostile = "<script>document.body.innerHTML=''</script>\"'&"
        let entries = [
            Sample.entry(hostile, hostile, group: hostile),
            Sample.entry(String(repeating: "long", count: 60), hostile, group: hostile),
        ]
        try expectSound(Sample.file(entries, leftOut: [.init(engine: hostile, reason: hostile)]), charts: 1)
    }

    @Test("Ten engines, missing figures and extreme values")
    func extremes() throws {
        var entries = (0..<10).map { Sample.entry("engine \($0)", rates: [Double($0 + 1) * 1e-3]) }
        entries += [
            Sample.entry("tiny", "other", rates: [1e-3, 1e-3]), Sample.entry("huge", "other", rates: [1e12, 2e12]),
        ]
        for index in entries.indices.prefix(3) {
            entries[index].latency = .init(
                of: "operation",
                p50: 1e-3,
                p99: 1e9,
                p999: 1e12,
                maximum: 1e12,
                curve: [[50, 1e-3], [99, 1e9], [99.9, 1e12]]
            )
        }
        try expectSound(Sample.file(entries), charts: 2)
    }

    /// What the checks look for is found where it is.
    @Test("The checks fail on a page that is broken")
    func broken() throws {
        let style =
            "<style>.plot text{font-size:40px!important}h3{white-space:nowrap;width:20px}</style>"
        let page = PageLayoutTests.file(40).page().replacing("</head>", with: style + "</head>")
            .replacing("<rect", with: "<g")
        let problems = try Browser().check(page).flatMap(\.problems)
        for kind in ["clipped", "overlap", "empty", "outside"] {
            #expect(problems.contains { $0.hasPrefix(kind) }, "\(kind)")
        }
        let wide = PageLayoutTests.file(1).page().replacing("<h1>", with: "<h1 style=\"min-width:1000px\">")
        #expect(try Browser().check(wide)[0].problems.contains { $0.hasPrefix("wider") })
    }

    @Test("Pictures at three widths are as wide as asked and not of one colour", arguments: Browser.widths)
    func pictures(_ width: Int) throws {
        let picture = try Browser().picture(PageLayoutTests.file(40).page(), width: width)
        #expect(picture.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // The width stands at byte 16 (PNG specification, section 11.2.2). A picture of one colour has a few kilobytes.
        #expect(picture[16..<20].reduce(0) { $0 << 8 | Int($1) } == width)
        #expect(picture.count > 30_000)
    }
}
