#if !Sync
internal import ArgumentParser
internal import Settee

/// `settee serve` in a program that was built without the listener.
struct ServeCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve databases over HTTP: not in this build, which lacks the package trait Sync."
    )

    @Argument(parsing: .allUnrecognized, help: "Ignored.")
    var arguments: [String] = []
    @OptionGroup var common: OutputOptions

    func run() throws {
        throw StorageError(
            .notImplemented,
            "This program was built without the listener. Build it with the package trait Sync, which is on by default."
        )
    }
}
#endif
