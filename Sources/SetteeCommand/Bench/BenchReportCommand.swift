internal import ArgumentParser
internal import Foundation
internal import Settee
internal import SetteeBenchmarkResults

/// `settee bench report`: shows a result file, or makes a page of it.
struct BenchReportCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show a result file of `settee bench` as a table, as a page, or as tables in Markdown."
    )

    @Argument(help: "The result file.")
    var results: String
    @Option(help: "Write an HTML page with charts to this file.")
    var html: String?
    @Flag(help: "Print the table in Markdown.")
    var markdown = false
    @Option(help: "Show only this workload; may be repeated.")
    var workload: [String] = []
    @OptionGroup var common: OutputOptions

    func validate() throws {
        if [html != nil, markdown, common.json].count(where: { $0 }) > 1 {
            throw ValidationError("--html, --markdown and --json are three forms: give one of them.")
        }
    }

    func run() throws {
        var results = try BenchOutput.read(results)
        let found = Set(results.results.map(\.workload) + results.leftOut.compactMap(\.workload))
        for name in workload where !found.contains(name) {
            throw StorageError(.notFound, "The results have no workload '\(name)'.")
        }
        if !workload.isEmpty {
            results.results.removeAll { !workload.contains($0.workload) }
            results.leftOut.removeAll { left in left.workload.map { !workload.contains($0) } ?? false }
        }
        if let html {
            try BenchOutput.write(Data(results.page().utf8), to: html)
        } else if markdown {
            try BenchOutput.print(asJSON: false) { try $0.output.append(results.markdown()) }
        } else {
            try BenchOutput.show(results, asJSON: common.json)
        }
    }
}
