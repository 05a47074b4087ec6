extension BenchmarkFile {
    /// The results as tables in Markdown, one for each group, and where and how they were measured.
    public func markdown() -> String {
        var text = "\(environment.processor), \(Figures.exact(environment.cores)) cores, \(environment.system); "
        text += environment.libraries.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        text +=
            "; durability \(environment.durability), \(environment.documentIDs) IDs, documents: \(environment.data); "
        text += "medians of \(Figures.exact(environment.rounds)) rounds, \(environment.date).\n"
        text += "`settee \(environment.commandLine.joined(separator: " ").replacing("`", with: "'"))`\n"
        for (group, entries) in groups {
            text += "\n**\(BenchmarkFile.heading(of: group))**\n\n"
            let columns = Column.used(
                [
                    .workload, .engine, .documents, .rate, .spread, .ratio, .cpu, .p50, .p99, .p999, .amplification,
                    .before, .onDisk, .peak,
                ],
                by: entries
            )
            text += row(columns.map(\.head))
            text += row(columns.map { $0.isNumber ? "---:" : "---" })
            for entry in entries { text += row(columns.map { $0.cell(entry) ?? Column.none }) }
        }
        return text
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.printable.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
}
