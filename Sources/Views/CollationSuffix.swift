internal import SetteeEngine
internal import StorageProtocol

/// What is added to the version of every order: nothing, but for a test of a database that programs with several
/// versions of ICU use.
final class CollationSuffix: DatabaseCompanion {
    let text = Locked("")

    init(of database: Database) {}

    func databaseWillClose() {}
}
