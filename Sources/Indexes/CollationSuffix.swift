package import SetteeEngine
package import StorageProtocol

/// What is added to the version of every order: nothing, but for a test of a database that programs with several
/// versions of ICU use.
package final class CollationSuffix: DatabaseCompanion {
    package let text = Locked("")

    package init(of database: Database) {}

    package func databaseWillClose() {}
}
