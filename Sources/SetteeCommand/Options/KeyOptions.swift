internal import ArgumentParser
internal import Settee

/// Where the key of an encrypted database comes from. It is never an argument, because all users of the machine can see
/// arguments.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the database's key, or the variable SETTEE_KEY. Asked for on a terminal if needed.",
            discussion: KeyText.help,
            valueName: "file"
        ),
        completion: .file()
    )
    var keyFile: String?

    func validate() throws { try source.requireOne() }

    /// Where the key is, if it was given.
    var source: KeySource { KeySource(option: "--key-file", file: keyFile, variable: .key) }
}

/// Where a new key comes from: that of a database to be created, or another one for an encrypted database.
struct NewKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("A file with the new key, or the variable SETTEE_NEW_KEY.", valueName: "file"),
        completion: .file()
    )
    var newKeyFile: String?

    func validate() throws { try source.requireOne() }

    var source: KeySource { KeySource(option: "--new-key-file", file: newKeyFile, variable: .newKey) }
}
