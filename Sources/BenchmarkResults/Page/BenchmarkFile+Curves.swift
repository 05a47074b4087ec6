internal import Foundation

/// The parts of the page with curves and sizes.
extension BenchmarkFile {
    /// How long operations take, by the part of them that is faster.
    func latencies(into page: inout Markup) {
        let timed = results.filter { ($0.latency?.curve.count ?? 0) > 1 }
        guard !timed.isEmpty else { return }
        page.element("section") { page in
            page.element("h2", text: "How long one takes")
            page.element(
                "p",
                text:
                    "To the right are the slowest: at 99, one of a hundred takes longer. A transaction of many documents "
                    + "counts as one where the table says so."
            )
            key(engines.filter { engine in timed.contains { $0.engine == engine } }, into: &page)
            page.element("div", ["class": "grid"]) { page in
                for (workload, entries) in BenchmarkFile.byWorkload(timed) {
                    let curves = entries.map { entry in
                        LinePlot.Curve(name: entry.engine, look: look(entry.engine), points: curve(entry))
                    }
                    plot(
                        LinePlot(
                            curves,
                            ticks: BenchmarkFile.nines,
                            label: "Latency of \(workload.name)",
                            write: Figures.duration
                        ),
                        title(of: workload),
                        into: &page
                    )
                }
            }
            numbers(
                [.workload, .engine, .documents, .latencyOf, .p50, .p99, .p999, .longest, .idle],
                timed,
                into: &page
            )
        }
    }

    /// Percentiles, at equal distances for each further nine.
    private static let nines = [50, 90, 99, 99.9, 99.99, 99.999].map {
        LinePlot.Tick(place: nines($0), text: $0 == $0.rounded() ? Figures.fixed($0, 0) : Figures.exact($0))
    }

    private static func nines(_ percentile: Double) -> Double { -log10(1 - percentile / 100) }

    private func curve(_ entry: BenchmarkEntry) -> [(x: Double, y: Double)] {
        (entry.latency?.curve ?? []).compactMap { point in
            guard point.count == 2, point[0] >= 50, point[0] < 100 else { return nil }
            return (BenchmarkFile.nines(point[0]), point[1])
        }
    }

    private func plot(_ plot: LinePlot, _ title: String, into page: inout Markup) {
        guard !plot.isEmpty else { return }
        page.element("figure") { page in
            page.element("h3", text: title)
            plot.draw(into: &page)
        }
        page.line()
    }

    /// What files need, before and after a compaction, and how much is written for a byte.
    func space(into page: inout Markup) {
        let sized = results.filter { $0.bytesOnDisk != nil && ($0.bytesBefore != nil || $0.writeAmplification != nil) }
        guard !sized.isEmpty else { return }
        page.element("section") { page in
            page.element("h2", text: "Space, and what is written")
            page.element(
                "p",
                text:
                    "The bars are the files afterwards; at a compaction the upright line is what they were before. Write "
                    + "amplification is what was written for each byte of the documents."
            )
            page.element("div", ["class": "grid"]) { page in
                for (workload, entries) in BenchmarkFile.byWorkload(sized) {
                    page.element("figure") { page in
                        page.element("h3", text: title(of: workload))
                        BarChart(bars: entries.map(sizeBar), look: look).draw(into: &page)
                    }
                    page.line()
                }
            }
            numbers(
                [.workload, .engine, .documents, .before, .onDisk, .written, .amplification, .peak],
                sized,
                into: &page
            )
        }
    }

    private func sizeBar(_ entry: BenchmarkEntry) -> BarChart.Bar {
        let parts = [
            entry.bytesOnDisk.map(Figures.bytes), entry.bytesBefore.map { "before " + Figures.bytes($0) },
            entry.writeAmplification.map { "written " + Figures.factor($0) + " times" },
        ]
        return BarChart.Bar(
            engine: entry.engine,
            value: entry.bytesOnDisk ?? 0,
            limit: entry.bytesBefore,
            text: parts.compactMap { $0 }.joined(separator: ", ")
        )
    }

    /// How costs and memory grow with the number of documents.
    func scale(into page: inout Markup) {
        let several = BenchmarkFile.grouped(results) { $0.workload }.filter { group in
            BenchmarkFile.grouped(group.entries) { $0.engine }.contains { Set($0.entries.map(\.documents)).count > 1 }
        }
        guard !several.isEmpty else { return }
        page.element("section") { page in
            page.element("h2", text: "Scale")
            page.element("p", text: "The time of one operation, and the memory, by the number of documents.")
            key(engines, into: &page)
            page.element("div", ["class": "grid"]) { page in
                for (workload, entries) in several {
                    growth(entries, "\(workload): time of one", Figures.duration, into: &page) { entry in
                        entry.opsPerSecond > 0 ? 1e6 / entry.opsPerSecond : nil
                    }
                    growth(entries, "\(workload): memory", Figures.bytes, into: &page) { $0.peakMemory }
                }
            }
            numbers(
                [.workload, .engine, .documents, .time, .cpu, .peak, .onDisk],
                several.flatMap(\.entries),
                into: &page
            )
        }
    }

    private func growth(
        _ entries: [BenchmarkEntry],
        _ title: String,
        _ write: @escaping (Double) -> String,
        into page: inout Markup,
        _ figure: (BenchmarkEntry) -> Double?
    ) {
        let curves = BenchmarkFile.grouped(entries) { $0.engine }.map { engine, entries in
            LinePlot.Curve(
                name: engine,
                look: look(engine),
                points: entries.sorted { $0.documents < $1.documents }.compactMap { entry in
                    figure(entry).map { (log10(Double(max(1, entry.documents))), $0) }
                }
            )
        }
        let ticks = Set(entries.map(\.documents)).sorted().map {
            LinePlot.Tick(place: log10(Double(max(1, $0))), text: Figures.compact(Double($0)))
        }
        plot(LinePlot(curves, ticks: ticks, label: title, write: write), title, into: &page)
    }

    func remarks(into page: inout Markup) {
        for (heading, lines) in [("What can be said", verdictLines()), ("What was left out", notes())]
        where !lines.isEmpty {
            page.element("section") { page in
                page.element("h2", text: heading)
                page.element("ul") { page in
                    for line in lines {
                        page.element("li", text: line)
                        page.line()
                    }
                }
            }
        }
    }

    func environmentList(into page: inout Markup) {
        page.element("section") { page in
            page.element("h2", text: "Where and how it was measured")
            page.element("dl") { page in
                for (name, value) in environment.items {
                    guard let value, !value.isEmpty else { continue }
                    page.element("dt", text: name)
                    page.element("dd", text: value)
                }
            }
        }
    }
}
