internal import StorageProtocol

extension Query {
    func indexText(_ text: OfIndex) -> String {
        let rows = "index_\(index)"
        let documents = "index_\(index)_documents"
        return switch text {
        // An aggregate has one row, whatever there is, so the statement stays active.
        case .documentBlock: "SELECT max(id), sequence, keys FROM \(documents) WHERE id <= ?1"
        case .nextBlock: "SELECT min(id) FROM \(documents) WHERE id > ?1"
        case .addBlock: "INSERT OR FAIL INTO \(documents)(id, sequence, keys) VALUES(?1, 0, ?2)"
        case .putBlock: "INSERT OR REPLACE INTO \(documents)(id, sequence, keys) VALUES(?1, 0, ?2)"
        case .changeBlock: "UPDATE OR FAIL \(documents) SET sequence = 0, keys = ?2 WHERE id = ?1"
        case .removeBlock: "DELETE FROM \(documents) WHERE id = ?1"
        case .blocks:
            "SELECT id, sequence, keys FROM \(documents) "
                + "WHERE id >= ifnull((SELECT max(id) FROM \(documents) WHERE id <= ?1), '') ORDER BY id"
        case .sameRow:
            "SELECT key_json, value_json FROM \(rows) WHERE key = ?1 AND id = ?2 AND emit = ?3 "
                + "UNION ALL SELECT NULL, NULL"
        case .addRow: "INSERT OR FAIL INTO \(rows)(key, id, emit, key_json, value_json) VALUES(?,?,?,?,?)"
        case .addRows:
            "INSERT OR FAIL INTO \(rows)(key, id, emit, key_json, value_json) "
                + "SELECT c0, c1, c2, c3, c4 FROM settee_feed"
        case .changeRow:
            "UPDATE OR FAIL \(rows) SET key_json = ?4, value_json = ?5 WHERE key = ?1 AND id = ?2 AND emit = ?3"
        case .removeRow: "DELETE FROM \(rows) WHERE key = ?1 AND id = ?2 AND emit = ?3"
        case .removeSomeRows:
            "DELETE FROM \(rows) WHERE (key, id, emit) IN "
                + "(SELECT key, id, emit FROM \(rows) ORDER BY key, id, emit LIMIT \(Query.rowsRemovedAtOnce))"
        case .removeSomeBlocks:
            "DELETE FROM \(documents) WHERE id IN "
                + "(SELECT id FROM \(documents) ORDER BY id LIMIT \(Query.rowsRemovedAtOnce))"
        }
    }
}

/// Which ends a range of index rows has, and in which direction it is walked.
///
/// The lower position is bound to parameters 1 to 3 (key, ID, emit number), the upper one to 4 to 6.
struct IndexRangeForm {
    /// One end: how many parts of the position are given (0: open), and whether it is excluded.
    struct End {
        var parts: Int
        var excludes: Bool

        init(_ bound: IndexRange.Bound) {
            switch bound {
            case .open: (parts, excludes) = (0, false)
            case .including(let place): (parts, excludes) = (End.parts(place), false)
            case .excluding(let place): (parts, excludes) = (End.parts(place), true)
            }
        }

        init(number: Int) {
            parts = (number + 1) / 2
            excludes = number > 0 && number & 1 == 0
        }

        /// 0 to 6.
        var number: Int { parts == 0 ? 0 : parts * 2 - (excludes ? 0 : 1) }

        private static func parts(_ place: IndexPosition) -> Int {
            place.documentID == nil ? 1 : place.emit == nil ? 2 : 3
        }

        func condition(_ sign: String, from parameter: Int) -> String? {
            if parts == 0 { return nil }
            let columns = ["r.key", "r.id", "r.emit"].prefix(parts).joined(separator: ", ")
            let values = (0..<parts).map { "?\(parameter + $0)" }.joined(separator: ", ")
            return "(\(columns)) \(sign)\(excludes ? "" : "=") (\(values))"
        }
    }

    var lower: End
    var upper: End
    var descending: Bool

    init(_ range: IndexRange, descending: Bool) {
        lower = End(range.lower)
        upper = End(range.upper)
        self.descending = descending
    }

    init(number: Int) {
        lower = End(number: number / 14)
        upper = End(number: number / 2 % 7)
        descending = number & 1 == 1
    }

    var number: Int { (lower.number * 7 + upper.number) * 2 + (descending ? 1 : 0) }

    func text(_ index: Int64) -> String {
        let conditions = [lower.condition(">", from: 1), upper.condition("<", from: 4)].compactMap { $0 }
        let direction = descending ? "DESC" : "ASC"
        return "SELECT r.key, r.id, r.emit, r.key_json, r.value_json FROM index_\(index) AS r"
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
            + " ORDER BY r.key \(direction), r.id \(direction), r.emit \(direction)"
    }
}
