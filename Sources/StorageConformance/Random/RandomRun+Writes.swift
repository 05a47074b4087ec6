internal import StorageProtocol

extension RandomRun {
    func applyWrite(_ operation: RandomOperation, _ tx: any WriteTransaction) throws {
        switch operation {
        case .put(let id, let content, let change, let flags):
            try put(tx, try DocumentID(RandomNames.ids[id]), content, change, DocumentFlags(rawValue: flags))
        case .purge(let id):
            try purge(tx, try DocumentID(RandomNames.ids[id]))
        case .dropBodies(let id):
            for sequence in model.oldSequences(of: try DocumentID(RandomNames.ids[id])) {
                try tx.removeRevisionBody(at: sequence)
                model.oldBodies[sequence] = nil
            }
        case .applyChanges(let number, let count, let content):
            try applyChanges(tx, number, count, content)
        case .raise(let step):
            let sequence = UInt64(max(0, Int64(model.lastSequence) + Int64(step)))
            try tx.raiseLastSequence(to: sequence)
            model.lastSequence = max(model.lastSequence, sequence)
            try check(try tx.counters().lastSequence, model.lastSequence, "the last sequence")
        case .trim(let percent):
            let limit = model.lastSequence * UInt64(percent) / 100
            try tx.trimHiddenEntries(through: limit)
            model.hidden = model.hidden.filter { $0.key > limit }
        case .putLocal(let number, let content):
            let id = try DocumentID("_local/" + RandomNames.ids[number])
            let revision = bytes("0-\(content)")
            let json = RandomNames.json(content)
            try unsafe tx.putLocalDocument(id, revision: revision.span.bytes, json: json.span.bytes)
            model.locals[id] = (revision, json)
        case .removeLocal(let number):
            let id = try DocumentID("_local/" + RandomNames.ids[number])
            try tx.removeLocalDocument(id)
            model.locals[id] = nil
        case .expire(let number, let time):
            let id = try DocumentID(RandomNames.ids[number])
            guard model.records[id] != nil else { return }
            try tx.setExpiration(time.map(Int64.init), of: id)
            model.records[id]?.expiration = time.map(Int64.init)
        case .setInfo(let key, let content):
            let key = RandomNames.ids[key]
            let value = content.map(RandomNames.json)
            try tx.setInfo(value, for: key)
            model.info[bytes(key)] = value
        case .setBlob(let blob, let count):
            let digest = [UInt8](repeating: UInt8(blob * 50), count: 20)
            let reference = BlobReference(
                digest: digest,
                storageName: "blob\(blob)",
                length: UInt64(blob),
                count: UInt64(count)
            )
            try tx.setBlobReference(reference)
            model.blobs[digest] = reference
        case .removeBlob(let blob):
            let digest = [UInt8](repeating: UInt8(blob * 50), count: 20)
            try tx.removeBlobReference(digest)
            model.blobs[digest] = nil
        default:
            try applyIndexWrite(operation, tx)
        }
    }

    private func put(
        _ tx: any WriteTransaction,
        _ id: DocumentID,
        _ content: Int,
        _ change: RandomOperation.Change,
        _ flags: DocumentFlags
    ) throws {
        let old = model.records[id]
        let sequence = model.lastSequence + 1 + UInt64(content % 3)
        let json = RandomNames.json(content)
        let body: RecordDraft.BodyChange =
            switch change {
            case _ where old == nil: .replace(json)
            case .replace: .replace(json)
            case .keepOld: .replaceKeepingOld(json, oldSequence: old?.sequence ?? 0)
            case .unchanged, .conflict: .unchanged
            }
        let draft = RecordDraft(
            documentID: id,
            flags: flags,
            sequence: sequence,
            winner: try RevisionID("\(content + 1)-\(sequence)"),
            tree: [UInt8](repeating: UInt8(content % 256), count: content % 90),
            body: body
        )
        // With or without a look-up before.
        if content % 4 < 2 { try check(try tx.stored(id)?.sequence, old?.sequence, "the record before") }
        if old == nil { try tx.insert(draft) } else { try tx.update(draft) }
        if case .replaceKeepingOld = body, let old { model.oldBodies[old.sequence] = (id, old.body) }
        if case .unchanged = body, case .conflict = change {
            try unsafe tx.putRevisionBody(json.span.bytes, at: sequence, owner: id)
            model.oldBodies[sequence] = (id, json)
        }
        var winnerBody = json
        if case .unchanged = body, let old { winnerBody = old.body }
        model.records[id] = ModelStore.Record(
            sequence: sequence,
            flags: flags,
            winner: draft.winner,
            tree: draft.tree,
            body: winnerBody,
            expiration: old?.expiration
        )
        model.lastSequence = sequence
    }

    private func purge(_ tx: any WriteTransaction, _ id: DocumentID) throws {
        guard model.records[id] != nil else { return }
        for sequence in model.oldSequences(of: id) {
            try tx.removeRevisionBody(at: sequence)
            model.oldBodies[sequence] = nil
        }
        model.lastSequence += 1
        try tx.purge(id, sequence: model.lastSequence)
        model.records[id] = nil
        model.hidden[model.lastSequence] = id
    }

    private func applyIndexWrite(_ operation: RandomOperation, _ tx: any WriteTransaction) throws {
        switch operation {
        case .setIndex(let index, let content):
            let name = RandomNames.indexes[index]
            var state = IndexState(
                version: "\(content % 3)",
                collationVersion: "c\(content % 2)",
                lastSequence: UInt64(content),
                lastChangedSequence: UInt64(content / 2)
            )
            try tx.setIndexState(name, state)
            state.rowCount = model.indexes[bytes(name)]?.state.rowCount ?? 0
            model.indexes[bytes(name), default: .init(state: state)].state = state
        case .dropIndex(let index):
            try tx.dropIndex(RandomNames.indexes[index])
            model.indexes[bytes(RandomNames.indexes[index])] = nil
        case .reclaim:
            _ = try tx.reclaimDroppedIndexes(for: .zero)
        case .putEntry(let index, let key, let content):
            let name = RandomNames.indexes[index]
            guard model.indexes[bytes(name)] != nil else { return }
            try tx.putIndexEntry(name, key: RandomNames.key(key), value: RandomNames.json(content))
            model.indexes[bytes(name)]?.entries[RandomNames.key(key)] = RandomNames.json(content)
        case .removeEntries(let index, let lower, let upper):
            let name = RandomNames.indexes[index]
            guard var known = model.indexes[bytes(name)] else { return }
            let range = byteRange(lower, upper)
            if (lower + upper) % 4 == 0 {
                while try tx.removeIndexEntries(name, in: range, for: .zero) {}
            } else {
                try tx.removeIndexEntries(name, in: range)
            }
            known.entries = known.entries.filter { !range.holds($0.key) }
            model.indexes[bytes(name)] = known
        case .removeAllEntries(let index):
            let name = RandomNames.indexes[index]
            guard model.indexes[bytes(name)] != nil else { return }
            try tx.removeAllIndexEntries(name)
            model.indexes[bytes(name)]?.entries = [:]
        case .emit(let index, let id, let documents, let content):
            try emit(tx, RandomNames.indexes[index], id, documents, content)
        default:
            preconditionFailure("\(operation) is no write")
        }
    }
}
