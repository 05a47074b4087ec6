#if !Sync
internal import ArgumentParser
internal import Settee

/// `settee certificate` in a program that was built without the replicator.
struct CertificateCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Show the certificate of a server: not in this build, which lacks the package trait Sync."
    )

    @Argument(parsing: .allUnrecognized, help: "Ignored.")
    var arguments: [String] = []
    @OptionGroup var common: OutputOptions

    func run() throws {
        throw StorageError(
            .notImplemented,
            "This program was built without the replicator. Build it with the package trait Sync, which is on by default."
        )
    }
}
#endif
