internal import ArgumentParser
internal import Settee

/// The places that a key may be given in: a file that an option names, or a variable.
struct KeySource {
    let option: String
    let file: String?
    let variable: KeyVariable

    /// Whether there is a key in any of them, be it empty.
    var isGiven: Bool { file != nil || variable.isSet }

    func requireOne() throws {
        guard file != nil, variable.isSet else { return }
        throw ValidationError("There are two keys, in \(option) and in the variable \(variable.rawValue). Give one.")
    }

    /// What to give, for messages.
    var ways: String { "\(option) FILE or in the variable \(variable.rawValue)" }

    /// The key, nil where none was given.
    ///
    /// - Parameter asJSON: how to warn of a file that others may read.
    /// - Throws: `badParameter` (495), `badEncoding` (490) for a text that is no key, `fileSystem` (498) for a file
    ///   that cannot be read.
    func key(asJSON: Bool) throws(StorageError) -> StorageKey? {
        if let file { return try KeyFile.read(file, asJSON: asJSON) }
        return try variable.key()
    }
}
