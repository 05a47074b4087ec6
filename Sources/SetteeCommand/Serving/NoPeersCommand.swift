#if !Sync
internal import ArgumentParser
internal import Settee

/// `settee peers` in a program that was built without what finds peers.
struct PeersCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "List servers on the local network: not in this build, which lacks the package trait Sync."
    )

    @Argument(parsing: .allUnrecognized, help: "Ignored.")
    var arguments: [String] = []
    @OptionGroup var common: OutputOptions

    func run() throws {
        throw StorageError(
            .notImplemented,
            "This program was built without what finds peers. Build it with the package trait Sync, which is on by default."
        )
    }
}
#endif
