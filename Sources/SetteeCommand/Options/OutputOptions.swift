internal import ArgumentParser

/// The options of all commands.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line; errors, notes and log messages too, on standard error.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Log messages of a domain (or of all) to standard error; may be repeated.",
            discussion: "\(LogSetting.allowed).",
            valueName: "domain[=level]"
        ),
        transform: LogSetting.parse
    )
    var log: [LogSetting] = []
}
