internal import ArgumentParser

/// `settee bench`. It has no options of its own: they would be taken from those of its commands.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure the storage engines, side by side and beside programs in plain C on the same libraries.",
        discussion: "Without one of the commands below it is `bench run`: `settee bench run --help` has the options.",
        subcommands: [
            BenchRunCommand.self, BenchCompareCommand.self, BenchReportCommand.self, BenchRecommendCommand.self,
            BenchReplayCommand.self,
        ],
        defaultSubcommand: BenchRunCommand.self
    )
}
