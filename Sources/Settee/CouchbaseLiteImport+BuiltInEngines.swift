public import Foundation
public import SetteeCouchbaseLiteImport
public import SetteeEngine
public import StorageProtocol

extension CouchbaseLiteImport {
    /// Makes a new database of the old one, with the built-in engines.
    ///
    /// - Throws: as the form with `engines`.
    public func run(
        to url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        decrypt: Bool = false,
        progress: Progress = { (_, _) throws(StorageError) in }
    ) throws(StorageError) -> CouchbaseLiteReport {
        try run(to: url, options: options, decrypt: decrypt, engines: BuiltInEngines.all, progress: progress)
    }
}
