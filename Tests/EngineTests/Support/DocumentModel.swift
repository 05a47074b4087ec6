import Settee

/// What a database must hold, as plain dictionaries (of IDs, not strings: those that look the same would be one key): every revision that was saved, and which of them are known.
struct DocumentModel {
    struct Node: Equatable {
        var parent: String?
        var isDeleted: Bool
        var json: String
    }

    /// Every known revision of each document; those that came only as ancestors have no body and are left out.
    private(set) var documents: [DocumentID: [String: Node]] = [:]
    private(set) var locals: [DocumentID: String] = [:]
    /// Counts saved revisions and purges.
    private(set) var sequence: UInt64 = 0

    func leaves(_ id: DocumentID) -> [String] {
        let nodes = documents[id] ?? [:]
        let parents = Set(nodes.values.compactMap(\.parent))
        return nodes.keys.filter { !parents.contains($0) }
    }

    /// Live before deleted, then the higher generation, then the higher text.
    func winner(_ id: DocumentID) -> String? {
        guard let nodes = documents[id] else { return nil }
        return leaves(id).max { a, b in
            let (left, right) = (nodes[a]?.isDeleted ?? true, nodes[b]?.isDeleted ?? true)
            if left != right { return left }
            let (x, y) = (DocumentModel.generation(a), DocumentModel.generation(b))
            return x != y ? x < y : a.utf8.lexicographicallyPrecedes(b.utf8)
        }
    }

    func isLive(_ id: DocumentID) -> Bool {
        guard let winner = winner(id) else { return false }
        return documents[id]?[winner]?.isDeleted == false
    }

    static func generation(_ revision: String) -> Int { Int(revision.prefix { $0 != "-" }) ?? 0 }

    mutating func save(_ id: DocumentID, parent: String?, json: String, isDeleted: Bool) -> String {
        let revision = expectedRevisionID(json, parent: parent, isDeleted: isDeleted)
        insert(id, revision, parent: parent, json: json, isDeleted: isDeleted)
        return revision
    }

    mutating func insert(_ id: DocumentID, _ revision: String, parent: String?, json: String, isDeleted: Bool) {
        documents[id, default: [:]][revision] = Node(parent: parent, isDeleted: isDeleted, json: json)
        sequence += 1
    }

    mutating func purge(_ id: DocumentID) {
        if documents.removeValue(forKey: id) != nil { sequence += 1 }
    }

    mutating func setLocal(_ id: DocumentID, _ json: String?) { locals[id] = json }

    /// What a listing must say, in order.
    var listing: [String] {
        documents.keys.sorted().map { id in
            let winner = winner(id) ?? ""
            let node = documents[id]?[winner]
            let live = leaves(id).count { documents[id]?[$0]?.isDeleted == false }
            return "\(id) \(winner) \(node?.isDeleted ?? true) \(live > 1) \(node?.json ?? "")"
        }
    }

    var liveCount: UInt64 { UInt64(documents.keys.count { isLive($0) }) }
}
