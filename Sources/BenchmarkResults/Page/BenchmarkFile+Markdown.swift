extension BenchmarkFile {
    /// The rates as tables in Markdown, one for each group with a column for each engine, and where and how they were
    /// measured. In brackets is the ratio to the counterpart.
    public func markdown() -> String {
        let libraries = environment.libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        var head = "\(environment.processor), \(Figures.exact(environment.cores)) cores, \(environment.system); "
        head += "\(libraries.joined(separator: ", ")); durability \(environment.durability), "
        head += "\(environment.documentIDs) IDs, documents: \(environment.data); "
        head += "medians of \(Figures.exact(environment.rounds)) rounds, \(environment.date)."
        var text = plain(head) + "\n"
        let command = environment.commandLine.joined(separator: " ").printable.replacing("`", with: "'")
        text += "\n`settee \(command)`\n"
        for (group, entries) in groups {
            text += "\n**\(plain(BenchmarkFile.heading(of: group)))**\n\n"
            text += row([["workload", "documents"], engines].flatMap { $0 })
            text += row(["---", "---:"] + engines.map { _ in "---:" })
            for (workload, entries) in BenchmarkFile.byWorkload(entries) {
                let cells = engines.map { engine in entries.first { $0.engine == engine }.map(cell) ?? Column.none }
                text += row([workload.name, Figures.exact(workload.documents)] + cells)
            }
        }
        return text
    }

    private func cell(_ entry: BenchmarkEntry) -> String {
        let unit = entry.unit == "documents" ? "" : " \(entry.unit)"
        return Figures.compact(entry.opsPerSecond) + unit + (entry.ratio.map { " (\(Figures.factor($0)))" } ?? "")
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.map { plain($0).replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }

    /// A text of the file without markup, and without what could govern a terminal.
    private func plain(_ text: String) -> String {
        text.printable.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
