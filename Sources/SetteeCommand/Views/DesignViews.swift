internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import StorageProtocol

/// The views of a database's design documents. Their functions run in `settee-js`, which is looked for only where an
/// index is to be brought up to date.
struct DesignViews {
    private let functions: DesignDocuments

    init(_ database: Database) { functions = DesignDocuments(database, pool: JavaScriptPool()) }

    /// The names of the views, as they are in the database.
    func names() throws(StorageError) -> [String] { try functions.viewNames() }

    /// Sets the functions of a view.
    ///
    /// - Returns: false if no design document has it.
    /// - Throws: `notImplemented` (501) if JavaScript cannot run here; `badRequest` (400) for a function that cannot be
    ///   compiled.
    func set(_ name: String) throws -> Bool {
        do {
            return try functions.view(named: name) != nil
        } catch let error as DesignError {
            throw StorageError(error)
        }
    }

    /// Returns a filter function of a design document, for replications.
    ///
    /// - Throws: As `set` does; `notFound` (404) if no design document has it.
    static func filter(_ name: String, of database: Database) throws -> (version: String, filter: Filter) {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts.contains("") else {
            throw StorageError(.badRequest, "A filter is named by its design document and its name: design/name.")
        }
        do {
            return try DesignDocuments(database, pool: JavaScriptPool()).revisionFilter(parts[1], of: parts[0])
        } catch let error as DesignError {
            throw StorageError(error)
        }
    }

    /// Runs a query of a view that may have a reduce function in JavaScript.
    ///
    /// - Throws: `badRequest` (400) if that fails; what `body` throws.
    static func run(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as JavaScriptError {
            throw StorageError(.badRequest, error.errorDescription ?? "", cause: error)
        }
    }
}

extension StorageError {
    /// The error as this program reports it.
    fileprivate init(_ error: DesignError) {
        let code: Code =
            switch error {
            case .missing: .notFound
            case .unsupportedLanguage, .unavailable: .notImplemented
            case .invalid, .compilation: .badRequest
            case .failed: .unexpected
            }
        self.init(code, error.errorDescription ?? "", cause: error)
    }
}
