import Foundation
import StorageConformance
import Testing

@testable import SetteeBenchmarkResults

@Suite("The text of the page and of the Markdown")
struct PageTextTests {
    private var file: BenchmarkFile {
        var generator = SeededGenerator(seed: 3)
        return Sample.file(
            ["sqlite", "lmdb"].flatMap { engine in
                [
                    Sample.full(engine, "insert-batch", group: "write", rate: 12_345, using: &generator),
                    Sample.full(engine, "compact", group: "space", rate: 700, using: &generator),
                ]
            }
        )
    }

    @Test("What the page shows is recomputed from the file's JSON, digit by digit")
    func recomputed() throws {
        let again = try BenchmarkFile(json: try file.json())
        #expect(again.page() == file.page())
        #expect(again.markdown() == file.markdown())
        for entry in file.results {
            #expect(file.page().contains(">\(Figures.exact(entry.opsPerSecond)) documents/s<"))
            #expect(entry.opsPerSecond == median(entry.rounds.map(\.opsPerSecond)))
            #expect(entry.ratio == median(entry.rounds.compactMap(\.ratio)))
            #expect(file.markdown().contains("| \(Figures.compact(entry.opsPerSecond))"))
        }
    }

    @Test("Markup in names is text, and all elements are closed")
    func escaped() throws {
        let hostile = "<b onclick='x'>&\"\u{202E}\u{0}|"
        let page = Sample.file(
            [Sample.entry(hostile, hostile, group: hostile)],
            leftOut: [.init(engine: hostile, workload: hostile, reason: hostile)]
        ).page()
        #expect(!page.contains("<b onclick"))
        #expect(page.contains("&lt;b onclick=&#39;x&#39;&gt;&amp;&quot;\u{FFFD}\u{FFFD}|"))
        for name in ["div", "figure", "section", "svg", "table", "tr", "td", "p", "span", "ul", "li", "text"] {
            let opened = page.split(separator: "<\(name) ").count + page.split(separator: "<\(name)>").count
            #expect(opened - 2 == page.split(separator: "</\(name)>").count - 1, "\(name)")
        }
    }

    @Test("The page asks for nothing from elsewhere")
    func selfContained() {
        for word in ["http://", "https://", "<script", "<link", "@import", "url("] {
            #expect(!file.page().contains(word))
        }
    }
}
