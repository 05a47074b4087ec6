internal import SetteeDocumentValues
package import SetteeEngine
package import StorageProtocol

/// What a database stores for an index besides its rows, as an info value. docs/internals/indexes.md describes it.
package struct IndexRecord: Sendable, Equatable {
    /// One index in the store. Those of other versions serve queries until that of the current version is complete.
    /// Those of another collation version belong to programs with another ICU.
    package struct Entry: Sendable, Equatable {
        /// The index's name in the store.
        package var index: String
        package var version: IndexVersion
        /// The version of the order, from `Collator.version`.
        package var collation: String
        /// Whether it has ever been brought up to date. Until then it serves no queries.
        package var isComplete: Bool
        /// The last sequence of the store when the index was created. Documents with sequences up to this one have no
        /// rows in the index before they are indexed for the first time.
        package var fresh: UInt64
        /// What is filling the index before it has seen any sequence: the name of an opening of the folder, empty
        /// without a folder. If that opening is gone, the index may have rows of no document, and cannot be used.
        package var filler: String?
    }

    /// The version that was set last.
    package var version: IndexVersion
    /// The identity of the derived entries that the indexes hold; nil: none.
    package var derived: String?
    package var entries: [Entry] = []

    init(version: IndexVersion) { self.version = version }

    /// Returns the index of the current version for a collation version.
    package func entry(collation: String) -> Entry? {
        entries.first { $0.version == version && $0.collation == collation }
    }

    /// Returns the index to read if it need not be up to date: that of the current version if it is complete, else the
    /// last complete one.
    package func readable(collation: String) -> Entry? {
        if let present = entry(collation: collation), present.isComplete { return present }
        return entries.last { $0.isComplete && $0.collation == collation }
    }

    /// Notes that an index has caught up, and drops the indexes that it replaces.
    mutating func complete(_ place: Int, in session: WriteSession) throws(StorageError) {
        entries[place].isComplete = true
        let present = entries[place]
        for old in entries where old.collation == present.collation && old.version != present.version {
            try session.dropIndex(old.index)
        }
        entries.removeAll { $0.collation == present.collation && $0.version != present.version }
    }
}

extension IndexRecord {
    /// - Throws: `corrupt` (591).
    package static func load(
        _ name: IndexName,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> IndexRecord? {
        guard let bytes = try transaction.info(name.recordKey) else { return nil }
        guard let record = IndexRecord(json: try? JSONValue(parsing: bytes), indexPrefix: name.kind.indexPrefix) else {
            throw .corrupt("The record of \(name.described) is damaged; \(name.kind.words.renewing)")
        }
        return record
    }

    package func store(_ name: IndexName, in session: WriteSession) throws(StorageError) {
        session.noteChange()
        try session.transaction.setInfo(json.canonicalBytes(), for: name.recordKey)
    }

    /// Returns the indexes that are being filled, or whose filling was interrupted: their contents are not consistent
    /// yet.
    static func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        for (key, value) in try transaction.allInfo() where InfoKey.isOfIndexes(key) {
            for entry in IndexRecord(json: try? JSONValue(parsing: value), indexPrefix: "")?.entries ?? []
            where entry.filler != nil {
                names.insert(Array(entry.index.utf8))
            }
        }
        return names
    }

    /// Returns an info value for a store that lacks some indexes: a record without these indexes, or any other value
    /// unchanged.
    static func without(_ indexes: Set<[UInt8]>, key: String, value: [UInt8]) throws(StorageError) -> [UInt8] {
        guard InfoKey.isOfIndexes(key), var record = IndexRecord(json: try? JSONValue(parsing: value), indexPrefix: "")
        else {
            return value
        }
        let count = record.entries.count
        record.entries.removeAll { indexes.contains(Array($0.index.utf8)) }
        return record.entries.count == count ? value : try record.json.canonicalBytes()
    }

    private var json: JSONValue {
        var object: JSONObject = ["version": .string(version.text)]
        if let derived { object["reduce"] = .string(derived) }
        object["indexes"] = .array(
            entries.map { entry in
                var object: JSONObject = [
                    "index": .string(entry.index), "version": .string(entry.version.text),
                    "collation": .string(entry.collation), "complete": .bool(entry.isComplete),
                    "fresh": JSONValue(entry.fresh),
                ]
                if let filler = entry.filler { object["filler"] = .string(filler) }
                return .object(object)
            }
        )
        return .object(object)
    }

    /// - Parameter indexPrefix: what the names of the indexes must begin with.
    private init?(json: JSONValue?, indexPrefix: String) {
        guard let json, let version = json["version"]?.stringValue, let indexes = json["indexes"]?.arrayValue else {
            return nil
        }
        self.version = IndexVersion(stored: version)
        derived = json["reduce"]?.stringValue
        for index in indexes {
            guard let name = index["index"]?.stringValue, name.utf8.starts(with: indexPrefix.utf8),
                let version = index["version"]?.stringValue, let collation = index["collation"]?.stringValue,
                let complete = index["complete"]?.boolValue, let fresh = index["fresh"]?.intValue, fresh >= 0
            else { return nil }
            entries.append(
                Entry(
                    index: name,
                    version: IndexVersion(stored: version),
                    collation: collation,
                    isComplete: complete,
                    fresh: UInt64(fresh),
                    filler: index["filler"]?.stringValue
                )
            )
        }
    }
}
