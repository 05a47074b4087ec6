package import SetteeDocumentValues
package import SetteeEngine
internal import SetteeJavaScript
internal import SetteeViews
internal import StorageProtocol

extension DesignDocuments {
    /// Checks a design document before it is saved, as CouchDB does: the types of its members, and whether the
    /// functions of its views can be compiled. Other functions are not compiled, and none is without JavaScript, where
    /// the worker ends, or in another language. Blocks.
    ///
    /// - Parameters:
    ///   - members: what is to be saved.
    ///   - design: the ID without `_design/`.
    /// - Throws: `invalid`, `compilation`; `StorageError`.
    package func check(_ members: JSONObject, as design: String) throws {
        try check(members, as: design, isUrgent: false)
    }

    /// The same for a design document that is about to be stored, inside the transaction, in which others wait.
    ///
    /// - Throws: `rejected` with status 400; `StorageError`.
    package func check(_ revision: ProposedRevision) throws {
        let name = String(revision.documentID.string.dropFirst(DesignDocument.prefix.count))
        do {
            try check(revision.properties, as: name, isUrgent: true)
        } catch let error as DesignError {
            throw StorageError(.rejected(status: error.status), error.errorDescription ?? "", cause: error)
        }
    }

    private func check(_ members: JSONObject, as design: String, isUrgent: Bool) throws {
        try DesignStructure.check(members)
        let document = DesignDocument(name: design, members)
        guard document.isRunnable else { return }
        for name in document.viewNames {
            guard let view = try document.view(name) else { continue }
            try check(view.map, "map", of: name, view.modules, design, isUrgent)
            guard let reduce = view.reduce else { continue }
            if reduce.utf8.first != UInt8(ascii: "_") {
                try check(reduce, "reduce", of: name, nil, design, isUrgent)
            } else if Reduce(builtIn: reduce) == nil {
                throw DesignError.invalid("`\(reduce)` is not a supported reduce function.")
            }
        }
    }

    private func check(
        _ source: String,
        _ kind: String,
        of view: String,
        _ modules: String?,
        _ design: String,
        _ isUrgent: Bool
    ) throws(DesignError) {
        let function = JavaScriptFunction(source, scope: scope(of: design), modules: modules)
        do throws(JavaScriptError) {
            try pool.withWorker(isUrgent: isUrgent) { worker throws(JavaScriptError) in try worker.check(function) }
        } catch {
            let reason: String
            switch error {
            // It says nothing of the function: a worker of another version ends at its start.
            case .unavailable, .crashed: return
            case .compilation(let message, let line): reason = message + (line > 0 ? " (line \(line))" : "")
            default: reason = error.errorDescription ?? ""
            }
            throw .compilation("Compilation of the \(kind) function in the '\(view)' view failed: \(reason)")
        }
    }
}
