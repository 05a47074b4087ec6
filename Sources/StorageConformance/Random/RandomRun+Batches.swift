internal import StorageProtocol

extension RandomRun {
    /// Makes several changes in one call, some of which must be refused.
    func applyChanges(_ tx: any WriteTransaction, _ first: Int, _ count: Int, _ content: Int) throws {
        var changes: [RecordChange] = []
        var expected: [StorageError.Code?] = []
        for step in 0..<count {
            let id = try DocumentID(RandomNames.ids[(first + step * 3) % RandomNames.ids.count])
            let isThere = model.records[id] != nil
            var draft = RecordDraft(
                documentID: id,
                flags: (content + step) % 4 == 0 ? .deleted : [],
                sequence: model.lastSequence + 1 + UInt64(step % 2),
                winner: try RevisionID("3-\(content)"),
                tree: [UInt8(step)],
                body: .replace(RandomNames.json(content + step))
            )
            switch (content + step) % 5 {
            case 0:
                draft.sequence = model.lastSequence
                // Every engine refuses 0. The last sequence may be free in a store that is being built, if it was
                // raised or trimmed.
                if isBeingBuilt, !isThere, !model.isInUse(draft.sequence) { draft.sequence = 0 }
                changes.append(isThere ? .update(draft) : .insert(draft))
                expected.append(.badParameter)
            case 1:
                changes.append(isThere ? .insert(draft) : .update(draft))
                expected.append(isThere ? .exists : .notFound)
            case 2 where model.oldSequences(of: id).isEmpty:
                changes.append(.purge(id, sequence: draft.sequence))
                expected.append(isThere ? nil : .notFound)
                if isThere {
                    model.records[id] = nil
                    model.hidden[draft.sequence] = id
                    model.lastSequence = draft.sequence
                }
            default:
                changes.append(isThere ? .update(draft) : .insert(draft))
                expected.append(nil)
                model.records[id] = ModelStore.Record(
                    sequence: draft.sequence,
                    flags: draft.flags,
                    winner: draft.winner,
                    tree: draft.tree,
                    body: RandomNames.json(content + step),
                    expiration: model.records[id]?.expiration
                )
                model.lastSequence = draft.sequence
            }
        }
        try check(try tx.apply(changes).map { $0?.code }, expected, "outcomes")
        try check(try tx.counters().liveDocuments, model.liveDocuments, "live documents after a batch")
    }

    /// Looks up many documents, some of them twice.
    func lookUp(_ transaction: any ReadTransaction, _ first: Int, _ count: Int, _ limit: Int) throws {
        let ids = try (0..<count).map { try DocumentID(RandomNames.ids[(first + $0 * 7) % RandomNames.ids.count]) }
        var found: [Int: [UInt8]] = [:]
        try transaction.records(ids: ids, fields: .body) { (place, view) throws(StorageError) in
            guard found.updateValue(view.bodyCopy(), forKey: place) == nil else {
                throw StorageError(.unexpected, "A place came twice.")
            }
            return found.count < limit
        }
        let there = ids.indices.filter { model.records[ids[$0]] != nil }
        // The store chooses which ones come before the limit.
        try check(found.count, min(there.count, max(limit, 1)), "documents of many IDs")
        for (place, body) in found where model.records[ids[place]]?.body != body {
            throw Mismatch(message: "'\(ids[place])' was looked up among \(count) and has another body")
        }
    }
}
