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

    func run() throws {
        var results = try BenchOutput.read(results)
        if !workload.isEmpty { results.results.removeAll { !workload.contains($0.workload) } }
        if let html {
            try BenchOutput.write(Data(results.page().utf8), to: html)
        } else if markdown {
            try BenchOutput.print(asJSON: false) { try $0.output.append(results.markdown()) }
        } else {
            try BenchOutput.show(results, asJSON: common.json)
        }
    }
}
