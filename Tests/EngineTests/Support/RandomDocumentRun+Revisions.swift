import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Changes of documents.
extension RandomDocumentRun {
    /// Runs a call whose outcome the model has predicted.
    mutating func expect(
        _ outcome: DocumentModel.Outcome,
        _ what: String,
        _ call: () throws -> RevisionID?
    ) throws {
        note("\(what): \(outcome)")
        let found: DocumentModel.Outcome
        do {
            found = try call().map { .saved($0.string) } ?? .unchanged
        } catch let error as StorageError {
            guard case .refused = outcome else { throw error }
            found = .refused(error.code)
        }
        try require(found == outcome, "\(what): found \(found), expected \(outcome)")
    }

    /// A body, sometimes one that is refused. `base`: a revision whose attachments some bodies keep.
    mutating func draft(_ id: DocumentID, base: String? = nil) -> DocumentModel.Draft {
        let text = String(repeating: "x", count: random(40))
        var draft = DocumentModel.Draft(properties: ["n": JSONValue(number()), "s": .string(text)])
        if random(12) == 0 { draft.properties["reject"] = true }
        if let base, random(3) > 0 { draft.addStubs(of: model.node(id, base)?.body) }
        if random(4) == 0 {
            var attachment = DocumentModel.Attachment(
                contentType: pick(["text/plain", nil]) ?? nil,
                content: content(),
                revpos: random(2)
            )
            let isStub = random(4) == 0
            // A content that nothing refers to any more stays until it is collected: the model cannot predict how long.
            if isStub, !model.contents.contains(where: { $0.stored == attachment.content.stored }) {
                attachment.content = RandomDocumentRun.unknownContent
            }
            draft.entries[attachmentName()] = isStub ? .stub(attachment) : .data(attachment)
        }
        return draft
    }

    mutating func put(_ id: DocumentID) throws {
        let parent = random(3) == 0 ? nil : pick(model.known(id))
        let draft = draft(id, base: parent)
        let isDeleted = random(8) == 0
        let outcome = try model.save(id, draft, parent: parent, isDeleted: isDeleted)
        let revision = try parent.map { try RevisionID($0) }
        let document = database[id.string]
        try expect(outcome, "put \(id) on \(parent ?? "nothing")") {
            var object = draft.object
            if isDeleted { object["_deleted"] = true }
            return try document.put(object, parent: revision).id
        }
    }

    /// On top of whatever is current: an edit, or a tombstone with properties.
    mutating func update(_ id: DocumentID) throws {
        let winner = model.winner(id)
        let current = model.isLive(id) ? winner.flatMap { model.node(id, $0) } : nil
        let number = number()
        let isDeleted = random(4) == 0
        let replaces = random(3) == 0
        let isRejected = random(10) == 0
        var draft = DocumentModel.Draft(properties: replaces ? [:] : current?.body?.properties ?? [:])
        if !replaces { draft.addStubs(of: current?.body) }
        draft.properties["u"] = JSONValue(number)
        if isRejected { draft.properties["reject"] = true }
        let outcome = try model.save(id, draft, parent: winner, isDeleted: isDeleted)
        let document = database[id.string]
        try expect(outcome, "update \(id)\(isDeleted ? ", a tombstone" : "")") {
            try document.updateRevision { revision in
                if replaces { revision.properties = [:] }
                revision["u"] = JSONValue(number)
                if isRejected { revision["reject"] = true }
                revision.isDeleted = isDeleted
            }?.id
        }
    }

    mutating func delete(_ id: DocumentID) throws {
        let document = database[id.string]
        guard let winner = model.winner(id) else {
            return try expect(.refused(.notFound), "delete \(id)") { try document.delete().id }
        }
        guard model.isLive(id) else {
            return try expect(.saved(winner), "delete \(id) again") { try document.delete().id }
        }
        let live = model.liveLeaves(id)
        let leaf = random(2) == 0 ? winner : pick(live) ?? winner
        let isChosen = leaf != winner
        let parent = try RevisionID(leaf)
        let outcome = try model.save(id, .init(properties: [:]), parent: leaf, isDeleted: true)
        try expect(outcome, "delete \(id) at \(leaf)") {
            try document.delete(parent: isChosen ? parent : nil).id
        }
    }

    /// From any revision that is kept.
    mutating func branch(_ id: DocumentID) throws {
        guard let base = pick(model.known(id).filter { model.node(id, $0)?.body != nil }) else { return try put(id) }
        let draft = draft(id, base: base)
        let isDeleted = random(6) == 0
        let allowsConflict = random(4) > 0
        let outcome = try model.save(
            id,
            draft,
            parent: base,
            isDeleted: isDeleted,
            allowsConflict: allowsConflict
        )
        let saved = try database[id.string].revision(RevisionID(base))
        let revision = try #require(saved)
        try expect(outcome, "save \(id) from \(base)\(allowsConflict ? ", allowing a conflict" : "")") {
            var next = try revision.newRevision()
            next.properties = draft.object
            next.isDeleted = isDeleted
            return try next.save(allowingConflict: allowsConflict).id
        }
    }

    /// A branch from elsewhere: on top of a known revision, through unknown ancestors, or with a root of its own.
    mutating func forceInsert(_ id: DocumentID) throws {
        let isDeleted = random(3) == 0
        let known = random(3) > 0 ? pick(model.known(id)) : nil
        var history = known.map { [$0] } ?? []
        let first = known.map { DocumentModel.generation($0) } ?? random(4)
        for step in 0..<1 + random(4) { history.insert("\(first + step + 1)-f\(random(5))", at: 0) }
        // What comes after a known revision in the history is ignored.
        if let known, let parent = model.node(id, known)?.parent { history.append(parent) }
        var draft = draft(id, base: known)
        for (name, entry) in draft.entries {
            // What another database says about an attachment is kept; this one tells the truth.
            switch entry {
            case .data(var attachment):
                attachment.revpos = random(2) * DocumentModel.generation(history[0])
                draft.entries[name] = .data(attachment)
            case .stub(var attachment):
                let before = known.flatMap { model.node(id, $0)?.body?.attachments[name] }
                if before?.content.stored != attachment.content.stored { attachment.revpos = 0 }
                draft.entries[name] = .stub(attachment)
            }
        }
        let source = pick(["here", nil]) ?? nil
        let ids = try history.map { try RevisionID($0) }
        let outcome = try model.insert(id, draft, history: history, isDeleted: isDeleted, source: source)
        let document = database[id.string]
        let body = draft.object
        try expect(outcome, "insert \(id) \(history)") {
            try document.forceInsert(body, history: ids, isDeleted: isDeleted, source: source) ? ids[0] : nil
        }
        guard case .saved = outcome else { return }
        let isNew = try document.forceInsert(body, history: ids, isDeleted: isDeleted)
        try require(!isNew, "inserted twice")
    }

    mutating func purge(_ id: DocumentID) throws {
        let wasThere = model.documents[id] != nil
        note("purge \(id): \(wasThere)")
        model.purge(id)
        try require(try database[id.string].purge() == wasThere, "purge says otherwise")
    }

    /// Leaves, and some revisions that are not.
    mutating func purgeRevisions(_ id: DocumentID) throws {
        let count = 1 + random(3)
        let chosen = Array(model.known(id).shuffled(using: &generator).prefix(count))
        let revisions = try chosen.map { try RevisionID($0) }
        let expected = model.purge(id, leaves: chosen)
        note("purge \(id) \(chosen): \(expected.sorted())")
        let removed = try database[id.string].purge(revisions: revisions)
        try require(Set(removed.map(\.string)) == expected, "removed \(removed)")
    }

    mutating func changeDepth() throws {
        let depth = [1, 2, 3, 5, 20][random(5)]
        note("depth \(depth)")
        try database.setMaxRevTreeDepth(depth)
        model.setDepth(depth)
    }

    // MARK: - Conflicts

    /// False if a tombstone that resolving makes is already in the tree, on a branch that came from elsewhere.
    private func canDelete(_ leaves: [String], of id: DocumentID) -> Bool {
        leaves.allSatisfy { model.node(id, DocumentModel.tombstone(after: $0)) == nil }
    }

    mutating func keepOne(_ id: DocumentID) throws {
        let live = model.liveLeaves(id)
        guard let kept = pick(live), canDelete(live, of: id) else { return try forceInsert(id) }
        for leaf in live where leaf != kept {
            _ = try model.save(id, .init(properties: [:]), parent: leaf, isDeleted: true)
        }
        let document = database[id.string]
        let revision = try RevisionID(kept)
        try expect(.saved(kept), "keep \(id) \(kept) of \(live.count)") {
            try document.resolveConflict(keeping: revision).id
        }
    }

    mutating func merge(_ id: DocumentID) throws {
        let live = model.liveLeaves(id)
        let document = database[id.string]
        guard live.count > 1, canDelete(live, of: id) else {
            if model.documents[id] == nil || live.count > 1 { return try forceInsert(id) }
            return try expect(.unchanged, "merge \(id), no conflict") { try document.resolveConflict { _ in [:] }?.id }
        }
        let number = number()
        let onto = pick(live) ?? live[0]
        let base = model.node(id, onto)?.body
        var draft = DocumentModel.Draft(properties: base?.properties ?? [:])
        draft.addStubs(of: base)
        draft.properties["merged"] = JSONValue(number)
        let isRejected = random(8) == 0
        if isRejected { draft.properties["reject"] = true }
        let outcome = try model.save(id, draft, parent: onto)
        if case .saved = outcome {
            for leaf in live where leaf != onto {
                _ = try model.save(id, .init(properties: [:]), parent: leaf, isDeleted: true)
            }
        }
        let bodies = live.map { model.node(id, $0)?.body?.json }
        try expect(outcome, "merge \(id), \(live.count) leaves onto \(onto)") {
            try document.resolveConflict { leaves in
                if case .saved = outcome {
                    // Resolving may have pruned what it merged.
                    #expect(leaves.map(\.id.string) == live)
                } else {
                    #expect(leaves.map { Optional($0.text) } == bodies)
                }
                guard let leaf = leaves.first(where: { $0.id.string == onto }) else { throw ApplicationError() }
                var merged = try leaf.properties
                merged["_rev"] = .string(onto)
                merged["merged"] = JSONValue(number)
                if isRejected { merged["reject"] = true }
                return merged
            }?.id
        }
    }

    mutating func deleteAllBranches(_ id: DocumentID) throws {
        let live = model.liveLeaves(id)
        guard model.documents[id] != nil, canDelete(live, of: id) else { return try put(id) }
        for leaf in live { _ = try model.save(id, .init(properties: [:]), parent: leaf, isDeleted: true) }
        let winner = try #require(model.winner(id))
        let document = database[id.string]
        try expect(.saved(winner), "delete all branches of \(id)") { try document.deleteAllBranches().id }
    }
}
