extension BenchmarkFile {
    /// The results as one HTML page with charts, which needs no network and no script.
    public func page() -> String {
        var page = Markup()
        page.raw("<!DOCTYPE html>\n")
        page.element("html", ["lang": "en"]) { page in
            page.element("head") { page in
                page.empty("meta", ["charset": "utf-8"])
                page.empty("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                page.element("title", text: "Settee: storage engines measured")
                page.element("style") { $0.raw(PageStyle.sheet) }
            }
            page.line()
            page.element("body") { page in
                head(into: &page)
                for group in groups { section(group.key, group.entries, into: &page) }
                latencies(into: &page)
                space(into: &page)
                scale(into: &page)
                remarks(into: &page)
                environmentList(into: &page)
            }
        }
        page.line()
        return page.text
    }

    /// The entries by the chart that they belong to.
    var groups: [(key: String, entries: [BenchmarkEntry])] { BenchmarkFile.grouped(results) { $0.group } }

    /// The number of an engine's look.
    func look(_ engine: String) -> Int { (engines.firstIndex(of: engine) ?? 0) % PageStyle.looks }

    static func heading(of group: String) -> String {
        switch group {
        case "write": "Writing"
        case "read": "Reading"
        case "query": "Views"
        case "mix": "Mixes"
        case "attachment": "Attachments"
        case "space": "Compaction"
        case "life": "Import, export, opening, upgrading"
        case "": "Results"
        default: group
        }
    }

    private func head(into page: inout Markup) {
        page.element("h1", text: "Storage engines measured")
        let rounds = environment.rounds
        page.element(
            "p",
            ["class": "soft"],
            text:
                "\(environment.processor), \(Figures.exact(environment.cores)) cores, \(environment.system); durability "
                + "\(environment.durability), \(environment.documentIDs) IDs, documents: \(environment.data); medians of "
                + "\(Figures.exact(rounds)) round\(rounds == 1 ? "" : "s"), \(environment.date)."
        )
        guard !results.isEmpty else {
            page.element("p", text: "Nothing was measured.")
            return
        }
        page.element(
            "p",
            text: "Each workload has a scale of its own. A thin line shows the slowest and the fastest round, a thick "
                + "upright one the counterpart, plain C unless the table says otherwise."
        )
        key(engines, into: &page)
        page.line()
    }

    /// A list of engines with their looks.
    func key(_ engines: [String], into page: inout Markup) {
        page.element("ul", ["class": "key"]) { page in
            for engine in engines {
                page.element("li") { page in
                    page.element("svg", ["viewBox": "0 0 26 10", "aria-hidden": "true"]) { page in
                        page.empty(
                            "line",
                            ["class": "curve s\(look(engine))", "x1": "0", "x2": "26", "y1": "5", "y2": "5"]
                        )
                    }
                    page.add(engine)
                }
            }
        }
    }

    private func section(_ group: String, _ entries: [BenchmarkEntry], into page: inout Markup) {
        page.element("section") { page in
            page.element("h2", text: BenchmarkFile.heading(of: group))
            page.element("div", ["class": "grid"]) { page in
                for (workload, entries) in BenchmarkFile.byWorkload(entries) {
                    page.element("figure") { page in
                        page.element("h3", text: title(of: workload))
                        BarChart(bars: entries.map(bar), look: look).draw(into: &page)
                    }
                    page.line()
                }
            }
            numbers(
                [
                    .workload, .engine, .documents, .rate, .minimum, .maximum, .spread, .baseline, .ratio, .cpuRatio,
                    .cpu, .rounds,
                ],
                entries,
                into: &page
            )
        }
    }

    private func bar(_ entry: BenchmarkEntry) -> BarChart.Bar {
        let parts = [
            Figures.compact(entry.opsPerSecond) + " \(entry.unit)/s",
            entry.spread.map { "±" + Figures.fixed($0 * 100, 0) + " %" },
            entry.ratio.map { Figures.factor($0) + " of the counterpart" },
        ]
        return BarChart.Bar(
            engine: entry.engine,
            value: entry.opsPerSecond,
            low: entry.opsPerSecondMinimum,
            high: entry.opsPerSecondMaximum,
            limit: entry.baselineOpsPerSecond,
            text: parts.compactMap { $0 }.joined(separator: ", ")
        )
    }

    /// The numbers beneath a chart.
    func numbers(_ columns: [Column], _ entries: [BenchmarkEntry], into page: inout Markup) {
        let columns = Column.used(columns, by: entries)
        page.element("details") { page in
            page.element("summary", text: "The numbers")
            page.element("div", ["class": "scroll"]) { page in
                page.element("table") { page in
                    page.element("thead") { page in
                        page.element("tr") { page in
                            for column in columns {
                                page.element("th", ["class": column.isNumber ? "number" : "text"], text: column.head)
                            }
                        }
                    }
                    page.element("tbody") { page in
                        for entry in entries {
                            page.element("tr") { page in
                                for column in columns {
                                    page.element(
                                        "td",
                                        ["class": column.isNumber ? "number" : "text"],
                                        text: column.cell(entry) ?? Column.none
                                    )
                                }
                            }
                            page.line()
                        }
                    }
                }
            }
        }
    }
}
