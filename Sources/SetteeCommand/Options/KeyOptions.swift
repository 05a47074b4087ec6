internal import ArgumentParser
internal import Foundation
internal import Settee

/// Where the key of an encrypted database comes from.
///
/// This version has no encrypted engine: any key that is given is refused, so that nobody takes plain text for encrypted.
struct KeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file with the database's key.", valueName: "file"), completion: .file())
    var keyFile: String?

    func refuseAnyKey() throws(StorageError) {
        try KeyOptions.refuse(file: keyFile, "--key-file", variable: "SETTEE_KEY")
    }

    static func refuse(file: String?, _ option: String, variable: String) throws(StorageError) {
        let place: String
        if file != nil {
            place = option
        } else if ProcessInfo.processInfo.environment[variable] != nil {
            place = variable
        } else {
            return
        }
        throw StorageError(
            .notImplemented,
            "A key is given (\(place)), but this version cannot encrypt databases. Take it away to work without encryption."
        )
    }
}

/// Where the key of a new encrypted database comes from.
struct NewKeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file with the new database's key.", valueName: "file"), completion: .file())
    var newKeyFile: String?

    func refuseAnyKey() throws(StorageError) {
        try KeyOptions.refuse(file: newKeyFile, "--new-key-file", variable: "SETTEE_NEW_KEY")
    }
}
