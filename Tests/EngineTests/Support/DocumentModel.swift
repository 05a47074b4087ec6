import Settee
import Testing

/// What a database must hold, as plain dictionaries and arrays (of IDs, not strings: canonically equivalent strings
/// would be one key), with rules that are written as naively as possible.
struct DocumentModel {
    /// A revision, or one that is known only by its ID.
    struct Node: Equatable {
        var parent: String?
        var isDeleted = false
        /// The sequence that it was stored under; 0 if only its ID is known.
        var sequence: UInt64 = 0
        /// Whether it had attachments when it was stored.
        var hadAttachments = false
        /// Nil if it is not kept.
        var body: Body?
    }

    struct Body: Equatable {
        var properties: JSONObject
        var attachments: [String: Attachment]
        /// Canonical, as it is stored.
        var json: String

        init(_ properties: JSONObject, _ attachments: [String: Attachment]) throws {
            self.properties = properties
            self.attachments = attachments
            var object = properties
            if !attachments.isEmpty {
                object["_attachments"] = .object(JSONObject(attachments.map { ($0.key, $0.value.stub) }))
            }
            json = String(decoding: try object.canonicalBytes(), as: UTF8.self)
        }
    }

    struct LocalDocument: Equatable {
        var generation: Int
        var json: String
    }

    enum Outcome: Equatable {
        case saved(String)
        case refused(StorageError.Code)
        /// There is nothing to do.
        case unchanged
    }

    private(set) var documents: [DocumentID: [String: Node]] = [:]
    private(set) var expirations: [DocumentID: Int64] = [:]
    private(set) var locals: [DocumentID: LocalDocument] = [:]
    private(set) var info: [String: String] = [:]
    /// Nil if none was set: 20.
    private(set) var depth: Int?
    /// Counts stored revisions and purges.
    private(set) var sequence: UInt64 = 0
    /// What observers are told.
    private(set) var changes: [String] = []

    // MARK: - Trees

    func node(_ id: DocumentID, _ revision: String) -> Node? { documents[id]?[revision] }

    /// All revisions that are known, in the order of their texts.
    func known(_ id: DocumentID) -> [String] { (documents[id] ?? [:]).keys.sorted() }

    /// The order in which leaves win.
    func leaves(_ id: DocumentID) -> [String] {
        let nodes = documents[id] ?? [:]
        let parents = Set(nodes.values.compactMap(\.parent))
        return nodes.keys.filter { !parents.contains($0) }.sorted { wins($0, over: $1, in: nodes) }
    }

    /// Live before deleted, then the higher generation, then the higher text.
    private func wins(_ a: String, over b: String, in nodes: [String: Node]) -> Bool {
        let (left, right) = (nodes[a]?.isDeleted ?? true, nodes[b]?.isDeleted ?? true)
        if left != right { return right }
        let (x, y) = (DocumentModel.generation(a), DocumentModel.generation(b))
        return x != y ? x > y : b.utf8.lexicographicallyPrecedes(a.utf8)
    }

    func liveLeaves(_ id: DocumentID) -> [String] { leaves(id).filter { node(id, $0)?.isDeleted == false } }

    func winner(_ id: DocumentID) -> String? { leaves(id).first }

    func isLive(_ id: DocumentID) -> Bool { !liveLeaves(id).isEmpty }

    /// The revision and its ancestors.
    func line(_ id: DocumentID, _ revision: String?) -> [String] {
        var line: [String] = []
        var next = revision
        while let revision = next {
            line.append(revision)
            next = node(id, revision)?.parent
        }
        return line
    }

    static func generation(_ revision: String) -> Int { Int(revision.prefix { $0 != "-" }) ?? 0 }

    // MARK: - Own revisions

    /// Saves a draft, or returns why not: the checks are in the order in which they are made.
    mutating func save(
        _ id: DocumentID,
        _ draft: Draft,
        parent given: String?,
        isDeleted: Bool = false,
        allowsConflict: Bool = false
    ) throws -> Outcome {
        var parent = given
        if documents[id] == nil {
            if given != nil { return .refused(.notFound) }
        } else if let given {
            let isLeaf = leaves(id).contains(given)
            guard isLeaf || allowsConflict && node(id, given) != nil else { return .refused(.conflict) }
        } else if !isLive(id) {
            parent = winner(id)
        } else if !allowsConflict {
            return .refused(.conflict)
        }
        let generation = parent.map { DocumentModel.generation($0) + 1 } ?? 1
        guard
            let attachments = admit(draft, id, parent: parent, generation, isDeleted: isDeleted, isForeign: false)
        else { return .refused(.attachmentNotFound) }
        let body = try Body(draft.properties, attachments)
        let revision = expectedRevisionID(body.json, parent: parent, isDeleted: isDeleted)
        if node(id, revision) != nil { return allowsConflict ? .saved(revision) : .refused(.exists) }
        if draft.isRejected { return .refused(.rejected(status: 403)) }
        store(id, revision, parent: parent, body, isDeleted: isDeleted, source: nil)
        return .saved(revision)
    }

    /// The ID that an empty tombstone on top of a revision has.
    static func tombstone(after revision: String) -> String {
        expectedRevisionID("{}", parent: revision, isDeleted: true)
    }

    private mutating func store(
        _ id: DocumentID,
        _ revision: String,
        parent: String?,
        _ body: Body,
        isDeleted: Bool,
        source: String?
    ) {
        sequence += 1
        documents[id, default: [:]][revision] = Node(
            parent: parent,
            isDeleted: isDeleted,
            sequence: sequence,
            hadAttachments: !body.attachments.isEmpty,
            body: body
        )
        prune(id)
        tell(id, "saved", revision, isDeletion: isDeleted, source: source)
    }

    /// Each leaf keeps the newest revisions of its own line.
    private mutating func prune(_ id: DocumentID) {
        var kept: Set<String> = []
        for leaf in leaves(id) { kept.formUnion(line(id, leaf).prefix(depth ?? 20)) }
        remove(id, known(id).filter { !kept.contains($0) })
    }

    private mutating func remove(_ id: DocumentID, _ revisions: [String]) {
        for revision in revisions { documents[id]?[revision] = nil }
        for (revision, node) in documents[id] ?? [:] {
            if let parent = node.parent, self.node(id, parent) == nil { documents[id]?[revision]?.parent = nil }
        }
    }

    // MARK: - Revisions from elsewhere

    mutating func insert(
        _ id: DocumentID,
        _ draft: Draft,
        history: [String],
        isDeleted: Bool,
        source: String?
    ) throws -> Outcome {
        let revision = history[0]
        if node(id, revision) != nil { return .unchanged }
        let parent = history.dropFirst().first
        let generation = DocumentModel.generation(revision)
        guard let attachments = admit(draft, id, parent: parent, generation, isDeleted: isDeleted, isForeign: true)
        else { return .refused(.attachmentNotFound) }
        if draft.isRejected { return .refused(.rejected(status: 403)) }
        for (place, ancestor) in history.enumerated().dropFirst() {
            if node(id, ancestor) != nil { break }
            documents[id, default: [:]][ancestor] = Node(parent: place + 1 < history.count ? history[place + 1] : nil)
        }
        store(
            id,
            revision,
            parent: parent,
            try Body(draft.properties, attachments),
            isDeleted: isDeleted,
            source: source
        )
        return .saved(revision)
    }

    // MARK: - Changes without a new revision

    mutating func purge(_ id: DocumentID, _ kind: String = "purged") {
        guard documents.removeValue(forKey: id) != nil else { return }
        expirations[id] = nil
        sequence += 1
        tell(id, kind, nil, isDeletion: false, source: nil)
    }

    /// Removes leaves with everything that nothing else descends from. Returns what was removed.
    mutating func purge(_ id: DocumentID, leaves doomed: [String]) -> Set<String> {
        let leaves = self.leaves(id)
        let going = doomed.filter { leaves.contains($0) }
        if going.isEmpty { return [] }
        var kept: Set<String> = []
        for leaf in leaves where !going.contains(leaf) { kept.formUnion(line(id, leaf)) }
        let removed = Set(known(id).filter { !kept.contains($0) })
        guard !kept.isEmpty else {
            purge(id)
            return removed
        }
        remove(id, Array(removed))
        sequence += 1
        // The current revision now counts as the one stored last.
        if let winner = winner(id) { documents[id]?[winner]?.sequence = sequence }
        tell(id, "purged", nil, isDeletion: false, source: nil)
        return removed
    }

    mutating func compact() {
        for id in documents.keys {
            let leaves = self.leaves(id)
            for revision in known(id) where !leaves.contains(revision) { documents[id]?[revision]?.body = nil }
        }
    }

    mutating func setExpiration(_ id: DocumentID, _ time: Int64?) { expirations[id] = time }

    /// Purges those that have expired, the earliest first.
    mutating func expire(through time: Int64) -> Int {
        let due = expirations.filter { $0.value <= time }.sorted { $0.value < $1.value }.map(\.key)
        for id in due { purge(id, "expired") }
        return due.count
    }

    mutating func setLocal(_ id: DocumentID, _ json: String?) {
        locals[id] = json.map { LocalDocument(generation: (locals[id]?.generation ?? 0) + 1, json: $0) }
    }

    mutating func setInfo(_ key: String, _ value: String?) { info[key] = value }

    mutating func setDepth(_ depth: Int) { self.depth = depth }

    private mutating func tell(_ id: DocumentID, _ kind: String, _ revision: String?, isDeletion: Bool, source: String?)
    {
        changes.append(
            "\(sequence) \(id) \(kind) \(revision ?? "-") \(winner(id) ?? "-") \(isDeletion) \(!isLive(id)) "
                + "\(liveLeaves(id).count > 1) \(source ?? "-")"
        )
    }

    // MARK: - Listings

    /// What a listing must say, in order.
    var listing: [String] {
        documents.keys.sorted().map { id in
            let winner = winner(id) ?? ""
            let node = node(id, winner)
            let isConflicted = liveLeaves(id).count > 1
            return "\(id) \(winner) \(node?.isDeleted ?? true) \(isConflicted) \(node?.body?.json ?? "")"
        }
    }

    var liveCount: UInt64 { UInt64(documents.keys.count { isLive($0) }) }
}
