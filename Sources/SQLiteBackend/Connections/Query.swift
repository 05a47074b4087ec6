internal import StorageProtocol

/// One SQL text of the store. All SQL that runs more than once is here, so that variants for different library versions
/// can be chosen in one place. Nothing newer than SQLite 3.15 is used.
///
/// Reads of a single row end in `UNION ALL SELECT NULL...`. There is always a row, so the statement stays active, and
/// with it the snapshot of a transaction that has not sent BEGIN.
struct Query: Hashable {
    /// The number of the text among those that belong to no index, or among those of one index.
    let slot: Int
    /// The index's number, 0 for texts that belong to none.
    let index: Int64

    init(_ fixed: Fixed) {
        slot = fixed.rawValue
        index = 0
    }

    private init(slot: Int, index: Int64 = 0) {
        self.slot = slot
        self.index = index
    }

    enum Fixed: Int, CaseIterable {
        case begin, beginImmediate, commit, rollback, schemaVersion, dataVersion, page
        case counters, insert, insertMany, update, updateBody, keepBody
        case delete, deleteExpiration, hide, floor, trim, addExtra
        case documentNumber, sequenceUse, setCounters, greatestID, numbers
        case revisionBody, revisionBodies, putRevisionBody, removeRevisionBody
        case hiddenEntries
        case localDocument, localDocuments, changeLocalDocument, addLocalDocument, removeLocalDocument
        case expiration, expirations, changeExpiration, addExpiration
        case info, allInfo, putInfo, changeInfo, addInfo, removeInfo
        case blobReference, blobReferences, putBlobReference, changeBlobReference, addBlobReference, removeBlobReference
        case indexNames, indexState, addIndex, setIndexState, addIndexRows
        case dropIndex, droppedIndex, removeIndex
        case indexEntry, putIndexEntry, changeIndexEntry, addIndexEntry, removeSomeEntries
        case lastEntries, moveEntries, addRemovedEntries, removedEntries, forgetRemovedEntries
    }

    enum OfIndex: Int, CaseIterable {
        case documentBlock, nextBlock, addBlock, putBlock, changeBlock, removeBlock, blocks
        case sameRow, addRow, addRows, changeRow, removeRow
        case removeSomeRows, removeSomeBlocks
    }

    /// Fewer rows than this are inserted one by one.
    static let fewestFed = 4
    /// How many IDs `records` looks up.
    static let recordsAtOnce = 32
    /// How many rows of a dropped index, and how many entries, are removed at once: a few, because each may have 1 MiB.
    static let rowsRemovedAtOnce = 32

    private static let recordSlot = Fixed.allCases.count
    private static let rangeSlot = recordSlot + 8
    private static let sequenceSlot = rangeSlot + 8 * 12
    private static let entrySlot = sequenceSlot + 16
    private static let manySlot = entrySlot + 24
    private static let followingSlot = manySlot + 8
    private static let passingSlot = followingSlot + 8
    private static let passingPartSlot = passingSlot + 8 * 12
    /// How many texts belong to no index.
    static let fixedCount = passingPartSlot + 8
    private static let indexRangeSlot = OfIndex.allCases.count

    static func record(_ fields: RecordFields) -> Query { Query(slot: recordSlot + Int(fields.rawValue & 7)) }

    /// Looks up parameters 1 to `recordsAtOnce`; NULL never matches. Column 0 is the number of the parameter, from 0.
    static func records(_ fields: RecordFields) -> Query { Query(slot: manySlot + Int(fields.rawValue & 7)) }

    /// The bound at the lower end is parameter 1; that at the upper end, if there is one, is parameter 2.
    static func records(_ range: RangeForm, descending: Bool, _ fields: RecordFields) -> Query {
        Query(slot: rangeSlot + (range.number * 2 + (descending ? 1 : 0)) * 8 + Int(fields.rawValue & 7))
    }

    /// Column 0 is the record's number.
    static func sequences(descending: Bool, _ fields: RecordFields) -> Query {
        Query(slot: sequenceSlot + (descending ? 8 : 0) + Int(fields.rawValue & 7))
    }

    /// The records with numbers above parameter 1, in the order of their numbers, which is that of the table.
    static func following(_ fields: RecordFields) -> Query { Query(slot: followingSlot + Int(fields.rawValue & 7)) }

    /// As `records(_:descending:_:)`, of live records that pass a test.
    static func passing(_ range: RangeForm, descending: Bool, _ fields: RecordFields) -> Query {
        Query(slot: passingSlot + (range.number * 2 + (descending ? 1 : 0)) * 8 + Int(fields.rawValue & 7))
    }

    /// The live records with numbers from parameter 1 to parameter 2 that pass a test.
    static func passing(_ fields: RecordFields) -> Query { Query(slot: passingPartSlot + Int(fields.rawValue & 7)) }

    /// The operations on a range of entries.
    enum OfEntries: Int {
        case ascending, descending, remove, removeSome
    }

    static func entries(_ range: RangeForm, _ what: OfEntries) -> Query {
        Query(slot: entrySlot + range.number * 4 + what.rawValue)
    }

    static func of(_ index: Int64, _ text: OfIndex) -> Query { Query(slot: text.rawValue, index: index) }

    static func rows(of index: Int64, _ form: IndexRangeForm) -> Query {
        Query(slot: indexRangeSlot + form.number, index: index)
    }
}

extension Query {
    var text: String {
        if index != 0 {
            if let text = OfIndex(rawValue: slot) { return indexText(text) }
            return IndexRangeForm(number: slot - Query.indexRangeSlot).text(index)
        }
        if let fixed = Fixed(rawValue: slot) { return fixed.text }
        if slot < Query.rangeSlot {
            let fields = RecordFields(rawValue: UInt8(slot - Query.recordSlot))
            let columns = ["doc"] + Query.columns(fields)
            let none = columns.map { _ in "NULL" }.joined(separator: ", ")
            return "SELECT \(columns.joined(separator: ", ")) FROM documents WHERE id = ?1 UNION ALL SELECT \(none)"
        }
        if slot < Query.sequenceSlot {
            return Query.rangeText(slot - Query.rangeSlot)
        }
        if slot < Query.entrySlot {
            let number = slot - Query.sequenceSlot
            let columns = Query.columns(RecordFields(rawValue: UInt8(number & 7))).joined(separator: ", ")
            return "SELECT doc, \(columns) FROM documents WHERE sequence BETWEEN ?1 AND ?2 "
                + "ORDER BY sequence \(number & 8 == 0 ? "ASC" : "DESC")"
        }
        if slot >= Query.passingPartSlot {
            let columns = Query.columns(RecordFields(rawValue: UInt8(slot - Query.passingPartSlot)))
            return "SELECT \(columns.joined(separator: ", ")) FROM documents WHERE doc BETWEEN ?1 AND ?2\(Query.passes)"
        }
        if slot >= Query.passingSlot { return Query.rangeText(slot - Query.passingSlot, Query.passes) }
        if slot >= Query.followingSlot {
            let columns = Query.columns(RecordFields(rawValue: UInt8(slot - Query.followingSlot))).joined(
                separator: ", "
            )
            return "SELECT doc, \(columns) FROM documents WHERE doc > ?1 ORDER BY doc"
        }
        if slot >= Query.manySlot {
            let columns = Query.columns(RecordFields(rawValue: UInt8(slot - Query.manySlot)))
            let places = (1..<Query.recordsAtOnce).map { " UNION ALL SELECT \($0), ?\($0 + 1)" }
            // CROSS JOIN fixes the order: the texts are listed, and each is looked up.
            return "SELECT p.place, \(columns.map { "d." + $0 }.joined(separator: ", ")) FROM "
                + "(SELECT 0 AS place, ?1 AS key\(places.joined())) AS p CROSS JOIN documents AS d ON d.id = p.key"
        }
        let number = slot - Query.entrySlot
        let condition = "FROM index_entries WHERE number = ?3 AND \(RangeForm(number: number / 4).condition("key"))"
        return switch OfEntries(rawValue: number % 4) {
        case .descending: "SELECT key, value \(condition) ORDER BY key DESC"
        case .remove: "DELETE \(condition)"
        case .removeSome:
            "DELETE FROM index_entries WHERE number = ?3 AND key IN "
                + "(SELECT key \(condition) ORDER BY key LIMIT \(Query.rowsRemovedAtOnce))"
        default: "SELECT key, value \(condition) ORDER BY key"
        }
    }

    private static func rangeText(_ number: Int, _ passes: String = "") -> String {
        let columns = Query.columns(RecordFields(rawValue: UInt8(number & 7))).joined(separator: ", ")
        let condition = RangeForm(number: number / 16).condition("id")
        return "SELECT \(columns) FROM documents WHERE \(condition)\(passes) "
            + "ORDER BY id \(number & 8 == 0 ? "ASC" : "DESC")"
    }

    /// The body of a deleted document is not read.
    private static let passes = " AND flags & \(DocumentFlags.deleted.rawValue) = 0 AND settee_passes(id, body)"

    /// The winner's digest is mostly read from the tree.
    private static func columns(_ fields: RecordFields) -> [String] {
        ["id", "sequence", "flags"] + (fields.contains(.winner) ? ["revision"] : [])
            + (fields.isDisjoint(with: [.winner, .tree]) ? [] : ["tree"]) + (fields.contains(.body) ? ["body"] : [])
    }
}

/// Which ends a range of byte strings has. An open lower end means "from the empty string on".
struct RangeForm {
    var excludesLower: Bool
    /// 0: open, 1: included, 2: excluded.
    var upper: Int

    init(_ range: ByteRange) {
        if case .excluding = range.lower { excludesLower = true } else { excludesLower = false }
        switch range.upper {
        case .open: upper = 0
        case .including: upper = 1
        case .excluding: upper = 2
        }
    }

    init(number: Int) {
        excludesLower = number >= 3
        upper = number % 3
    }

    var number: Int { (excludesLower ? 3 : 0) + upper }

    func condition(_ column: String) -> String {
        let lower = "\(column) \(excludesLower ? ">" : ">=") ?1"
        switch upper {
        case 0: return lower
        case 1: return "\(lower) AND \(column) <= ?2"
        default: return "\(lower) AND \(column) < ?2"
        }
    }
}
