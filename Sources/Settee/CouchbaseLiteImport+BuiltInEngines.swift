public import Foundation
public import SetteeCouchbaseLiteImport
public import SetteeEngine
public import StorageProtocol

extension CouchbaseLiteImport {
    /// Creates a new database from the old one, with the built-in engines.
    ///
    /// - Throws: like the method with `engines`.
    public func run(
        to url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        decrypt: Bool = false,
        progress: Progress = { (_, _) throws(StorageError) in }
    ) throws(StorageError) -> CouchbaseLiteReport {
        try run(to: url, options: options, decrypt: decrypt, engines: BuiltInEngines.all, progress: progress)
    }
}
