internal import Foundation
internal import Settee
internal import StorageProtocol

extension Manager {
    /// Makes a database of a name that no other of the process has, runs `body`, and deletes it.
    func withNewDatabase<R>(_ options: DatabaseOptions, _ body: (Database) throws -> R) throws -> R {
        let name = "db-\(UUID().uuidString.lowercased())"
        let database = try database(named: name, options: options)
        defer {
            try? database.close()
            try? deleteDatabase(named: name)
        }
        return try body(database)
    }
}
