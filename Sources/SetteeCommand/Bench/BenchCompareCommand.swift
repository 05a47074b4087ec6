internal import ArgumentParser
internal import Settee
internal import SetteeBenchmarkResults

/// `settee bench compare`: what has changed between two result files.
struct BenchCompareCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two result files of `settee bench`.",
        discussion: """
            A difference is called one if the spread of the rounds does not explain it: with two rounds or more on \
            both sides, and at least 5 %. With --fail-on-regression the exit status is 1 if something has become \
            slower.
            """
    )

    @Argument(help: "The result file to compare with.")
    var old: String
    @Argument(help: "The result file that is judged.")
    var new: String
    @Flag(help: "Fail if a workload has become slower.")
    var failOnRegression = false
    @OptionGroup var common: OutputOptions

    func run() throws {
        let comparison = BenchmarkComparison(old: try BenchOutput.read(old), new: try BenchOutput.read(new))
        try BenchOutput.print(asJSON: common.json) { printer in
            if common.json { return try printer.line(bytes: Array(try comparison.json(onOneLine: true))) }
            try BenchOutput.columns(comparison.table(), to: printer.output)
            for line in comparison.notes() { try printer.output.append(line + "\n") }
        }
        if failOnRegression, comparison.isWorse { throw ExitCode(1) }
    }
}
