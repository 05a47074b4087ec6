package import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeViews
internal import StorageProtocol

extension DesignDocuments {
    /// What CouchDB has in `view_index` of `GET _design/NAME/_info`. The sizes are 0: indexes are not measured one by
    /// one.
    ///
    /// - Throws: `missing`, `unsupportedLanguage`, `compilation` for a malformed view.
    package func info(of design: String) throws -> JSONObject {
        guard let document = try catalog.document(design) else { throw DesignError.missing("missing") }
        guard !document.isDeleted else { throw DesignError.missing("deleted") }
        try document.requireLanguage()
        var parts: [JSONValue] = []
        var sequences: [UInt64] = []
        var isUpdating = false
        for name in document.viewNames {
            guard let definition = try document.view(name) else { continue }
            let version = try definition.version
            parts += [.string(name), .string(version), definition.reduce.map { .string($0) } ?? .null]
            let view = database.view(DesignViewName.text(name, of: design))
            let status = try view.status()
            sequences.append(status?.version == version ? status?.lastSequence ?? 0 : 0)
            if try view.isUpdating() { isUpdating = true }
        }
        return [
            "signature": .string(try DesignHash.text(parts)), "language": .string(document.language),
            "sizes": ["active": 0, "external": 0, "file": 0], "update_seq": JSONValue(sequences.min() ?? 0),
            "purge_seq": 0, "waiting_commit": false, "waiting_clients": 0, "compact_running": false,
            "updater_running": .bool(isUpdating),
        ]
    }

    /// Removes the indexes whose design document or view is gone, and temporary views that a killed process has left.
    ///
    /// - Throws: `readOnly` (403), `inUse` (423), `full` (507).
    package func cleanUp() throws {
        let present = Set(try viewNames().map { Array($0.utf8) })
        for name in try database.batchViewNames() {
            guard !present.contains(Array(name.utf8)), try !isTemporaryInUse(name) else { continue }
            settings.withLock { _ = $0.removeValue(forKey: name) }
            try database.view(name).delete()
        }
    }
}
