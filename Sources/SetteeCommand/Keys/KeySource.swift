internal import ArgumentParser
internal import Settee

/// Where a key may be given: in a file named by an option, or in a variable.
struct KeySource {
    let option: String
    let file: String?
    let variable: KeyVariable

    /// Whether a key was given in either of them, even an empty one.
    var isGiven: Bool { file != nil || variable.isSet }

    func requireOne() throws {
        guard file != nil, variable.isSet else { return }
        throw ValidationError("There are two keys, in \(option) and in the variable \(variable.rawValue). Give one.")
    }

    /// How to give the key, for messages.
    var ways: String { "\(option) FILE or in the variable \(variable.rawValue)" }

    /// Returns the key; nil if none was given.
    ///
    /// - Parameter asJSON: how to warn of a file that others can read.
    /// - Throws: `badParameter` (495), `badEncoding` (490) if the text is not a key, `fileSystem` (498) if the file
    ///   cannot be read.
    func key(asJSON: Bool) throws(StorageError) -> StorageKey? {
        if let file { return try KeyFile.read(file, asJSON: asJSON) }
        return try variable.key()
    }
}
