package import SetteeEngine
package import SetteeJavaScript
internal import SetteeViews
internal import StorageProtocol

/// The functions of the design documents of a database: views, filters and validation, as the design documents have
/// them now, whichever process wrote them. All calls block.
///
/// ```swift
/// let pool = JavaScriptPool(JavaScriptConfiguration())
/// let rows = try DesignDocuments(database, pool: pool).view("byAuthor", of: "library").query(startKey: "C").run()
/// ```
package final class DesignDocuments: Sendable {
    /// A view as it was last set by this object.
    struct Setting {
        var definition: DesignView
        var mapper: JavaScriptMapper
    }

    let database: Database
    let pool: JavaScriptPool
    let catalog: DesignCatalog
    /// The views that this object has set, by their names in the database.
    let settings = Locked<[String: Setting]>([:])
    /// Functions of other databases share nothing with those of this one.
    private let scope = String(UInt64.random(in: 0 ... .max), radix: 16)

    /// - Parameter pool: lends the workers. If it is closed, functions are unavailable.
    package init(_ database: Database, pool: JavaScriptPool) {
        self.database = database
        self.pool = pool
        catalog = DesignCatalog(database)
    }

    /// What the functions of a design document share.
    func scope(of design: String) -> String { "\(scope)/\(DesignDocument.prefix)\(design)" }

    /// Compiles a function, to find out whether that works.
    ///
    /// - Parameter what: the function, for the message of the error.
    func check(_ function: JavaScriptFunction, _ what: String) throws(DesignError) {
        do throws(JavaScriptError) {
            try pool.withWorker { worker throws(JavaScriptError) in try worker.check(function) }
        } catch {
            throw DesignError(error, what)
        }
    }
}
