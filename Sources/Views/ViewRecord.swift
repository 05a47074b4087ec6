internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What a database stores for a view besides its rows, as an info value. docs/internals/views.md describes it.
struct ViewRecord: Sendable, Equatable {
    /// One index of the view. Indexes of other versions serve queries until that of the current version is complete.
    /// Indexes of another collation version belong to programs with another ICU.
    struct Entry: Sendable, Equatable {
        /// The index's name in the store.
        var index: String
        var version: ViewVersion
        /// The version of the order, from `Collator.version`.
        var collation: String
        /// Whether it has ever been brought up to date. Until then it serves no queries.
        var isComplete: Bool
        /// The last sequence of the store when the index was created. Documents with sequences up to this one have no
        /// rows in the index before they are indexed for the first time.
        var fresh: UInt64
        /// What is filling the index before it has seen any sequence: the name of an opening of the folder, empty
        /// without a folder. If that opening is gone, the index may have rows of no document, and cannot be used.
        var filler: String?
    }

    /// The version that was set last.
    var version: ViewVersion
    /// The identity of the reduce function whose partial results the indexes hold; nil: none.
    var reduce: String?
    var entries: [Entry] = []

    /// The prefix of the names of view indexes.
    static let indexNamePrefix = "v/"
    /// The prefix of a view's name in the keys of the info values that hold records.
    static let infoPrefix = InfoKey.indexRecordPrefix

    static func infoKey(_ name: ViewName) -> String { infoPrefix + name.string }

    /// Returns the index of the current version for a collation version.
    func entry(collation: String) -> Entry? {
        entries.first { $0.version == version && $0.collation == collation }
    }

    /// Returns the index to read if it need not be up to date: that of the current version if it is complete, else the
    /// last complete one.
    func readable(collation: String) -> Entry? {
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

extension ViewRecord {
    static func load(_ name: ViewName, in transaction: any ReadTransaction) throws(StorageError) -> ViewRecord? {
        guard let bytes = try transaction.info(infoKey(name)) else { return nil }
        guard let record = ViewRecord(json: try? JSONValue(parsing: bytes)) else {
            throw .corrupt("The record of view '\(name.string)' is damaged; delete the view and set it anew")
        }
        return record
    }

    func store(_ name: ViewName, in session: WriteSession) throws(StorageError) {
        session.noteChange()
        try session.transaction.setInfo(json.canonicalBytes(), for: ViewRecord.infoKey(name))
    }

    /// Returns the indexes that are being filled, or whose filling was interrupted: their contents are not consistent
    /// yet.
    static func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        for (key, value) in try transaction.allInfo() where key.utf8.starts(with: infoPrefix.utf8) {
            for entry in ViewRecord(json: try? JSONValue(parsing: value))?.entries ?? [] where entry.filler != nil {
                names.insert(Array(entry.index.utf8))
            }
        }
        return names
    }

    /// Returns an info value for a store that lacks some indexes: a record without these indexes, or any other value
    /// unchanged.
    static func without(_ indexes: Set<[UInt8]>, key: String, value: [UInt8]) throws(StorageError) -> [UInt8] {
        guard key.utf8.starts(with: infoPrefix.utf8), var record = ViewRecord(json: try? JSONValue(parsing: value))
        else {
            return value
        }
        let count = record.entries.count
        record.entries.removeAll { indexes.contains(Array($0.index.utf8)) }
        return record.entries.count == count ? value : try record.json.canonicalBytes()
    }

    private var json: JSONValue {
        var object: JSONObject = ["version": .string(version.text)]
        if let reduce { object["reduce"] = .string(reduce) }
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

    private init?(json: JSONValue?) {
        guard let json, let version = json["version"]?.stringValue, let indexes = json["indexes"]?.arrayValue else {
            return nil
        }
        self.version = ViewVersion(stored: version)
        reduce = json["reduce"]?.stringValue
        for index in indexes {
            guard let name = index["index"]?.stringValue, name.utf8.starts(with: ViewRecord.indexNamePrefix.utf8),
                let version = index["version"]?.stringValue, let collation = index["collation"]?.stringValue,
                let complete = index["complete"]?.boolValue, let fresh = index["fresh"]?.intValue, fresh >= 0
            else { return nil }
            entries.append(
                Entry(
                    index: name,
                    version: ViewVersion(stored: version),
                    collation: collation,
                    isComplete: complete,
                    fresh: UInt64(fresh),
                    filler: index["filler"]?.stringValue
                )
            )
        }
    }
}
