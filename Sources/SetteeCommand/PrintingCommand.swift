internal import ArgumentParser

/// A command that has the options for what is printed.
protocol PrintingCommand: ParsableCommand {
    var common: OutputOptions { get }
}
