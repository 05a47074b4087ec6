package import SetteeEngine
internal import StorageProtocol

extension DatabaseModule {
    /// Makes a kind of indexes known to a database: `check` then covers them, and conversions keep them. Otherwise a
    /// conversion leaves the indexes out, which are then built again.
    package init(indexes kind: any IndexKind) { self.init(indexKeeper: CommonIndexKeeper(kinds: [kind])) }
}

/// What indexes of all kinds do for the rest of a database: they are checked, and say which of them another store can
/// take.
struct CommonIndexKeeper: IndexKeeper {
    let kinds: [any IndexKind]

    func joined(with other: any IndexKeeper) -> any IndexKeeper {
        guard let other = other as? CommonIndexKeeper else { return self }
        let known = Set(kinds.map { Array($0.recordPrefix.utf8) })
        return CommonIndexKeeper(kinds: kinds + other.kinds.filter { !known.contains(Array($0.recordPrefix.utf8)) })
    }

    func check(
        _ database: Database,
        _ transaction: any ReadTransaction,
        _ report: (String) -> Void
    ) throws(StorageError) {
        for kind in kinds { try IndexChecker(kind, database, transaction).run(report) }
    }

    // Records of all kinds have one form, so that those of other programs' kinds count, too.

    func unfinishedIndexes(in transaction: any ReadTransaction) throws(StorageError) -> Set<[UInt8]> {
        try IndexRecord.unfinishedIndexes(in: transaction)
    }

    func info(
        _ key: String,
        _ value: [UInt8],
        without indexes: Set<[UInt8]>
    ) throws(StorageError) -> [UInt8]? {
        try IndexRecord.without(indexes, key: key, value: value)
    }
}
