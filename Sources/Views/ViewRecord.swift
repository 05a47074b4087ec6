internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// What a database keeps of a view beside its rows: an info value. docs/internals/views.md describes it.
struct ViewRecord: Sendable, Equatable {
    /// One index of the view. Others than the present version's serve queries until that one is complete; those of
    /// another collation version belong to programs with another ICU.
    struct Entry: Sendable, Equatable {
        /// The index's name in the store.
        var index: String
        var version: ViewVersion
        /// The version of the order, as `Collator.version` tells it.
        var collation: String
        /// Whether it has once been brought up to date: before, it serves nobody.
        var isComplete: Bool
        /// No document with a sequence up to this one has rows in the index when it is indexed for the first time: the
        /// last sequence of the store when the index was begun.
        var fresh: UInt64
        /// Who fills it, while it has seen nothing: the name of an opening of the folder, empty without a folder. If
        /// that one is gone, rows may be there that belong to no document, and the index is of no use.
        var filler: String?
    }

    /// The version that was set last.
    var version: ViewVersion
    /// The identity of the reduce function whose partial results the indexes hold; nil: none.
    var reduce: String?
    var entries: [Entry] = []

    /// Stands before the names of indexes of views.
    static let indexNamePrefix = "v/"
    /// Stands before the name of a view in the keys of the info values that hold records.
    static let infoPrefix = InfoKey.indexRecordPrefix

    static func infoKey(_ name: ViewName) -> String { infoPrefix + name.string }

    /// The index of the present version and a collation version.
    func entry(collation: String) -> Entry? {
        entries.first { $0.version == version && $0.collation == collation }
    }

    /// The one to read where the present version's need not be up to date: that, if it is complete, else the last one
    /// that was.
    func readable(collation: String) -> Entry? {
        if let present = entry(collation: collation), present.isComplete { return present }
        return entries.last { $0.isComplete && $0.collation == collation }
    }

    /// Notes that an index has caught up: what it replaces goes.
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

    /// The indexes that are being filled, or were when their filler died: what they have does not belong together yet.
    static func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        for (key, value) in try transaction.allInfo() where key.utf8.starts(with: infoPrefix.utf8) {
            for entry in ViewRecord(json: try? JSONValue(parsing: value))?.entries ?? [] where entry.filler != nil {
                names.insert(Array(entry.index.utf8))
            }
        }
        return names
    }

    /// An info value for a store that lacks some indexes: a record without them, anything else as it is.
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
