internal import Foundation
internal import Settee
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeViews
internal import StorageProtocol

/// Does the operations of a trace on one database.
final class TraceActor {
    let database: Database
    private let needs: TraceNeeds
    private let number: Int
    /// The revisions that the trace refers to later, by its hashes.
    private var revisions: [UInt64: RevisionID] = [:]
    /// How often each view was defined anew.
    private var definitions: [UInt64: Int] = [:]
    let contents: TraceContents
    /// The revision that the last operation has saved.
    private var saved: RevisionID?

    typealias Work = () throws -> Void

    init(_ database: Database, _ needs: TraceNeeds, number: Int) {
        self.database = database
        self.needs = needs
        self.number = number
        contents = TraceContents(database) { content in
            needs.contents[TraceNeeds.Place(database: number, hash: content)] ?? 0
        }
    }

    private func isNamed(_ revision: UInt64) -> Bool {
        needs.named.contains(TraceNeeds.Place(database: number, hash: revision))
    }

    private func document(_ hash: UInt64) -> Document {
        let isLocal = needs.locals.contains(TraceNeeds.Place(database: number, hash: hash))
        return database[(isLocal ? "_local/" : "") + TraceFiller.text(hash)]
    }

    private func view(_ hash: UInt64) -> DatabaseView { database.view(TraceFiller.text(hash)) }

    // MARK: - What was there before

    func make(_ document: TraceNeeds.Document) throws {
        let hash = document.place.hash
        let revision = document.revision ?? hash
        let json = TraceActor.body(of: hash, revision, size: document.size)
        let saved = try self.document(hash).put(json: json)
        if isNamed(revision) { revisions[revision] = saved.id }
    }

    func define(_ hash: UInt64) throws { try view(hash).define(definition(of: hash)) }

    private func definition(of hash: UInt64) throws(StorageError) -> ViewDefinition {
        let key = try JSONPointer("/k")
        let reduces = needs.reducing[TraceNeeds.Place(database: number, hash: hash)] ?? false
        // Another condition, which holds for all documents, makes it another index.
        let isOdd = (definitions[hash] ?? 0) % 2 == 1
        return ViewDefinition(keys: [key], reduce: reduces ? "_count" : nil, requiredPlaces: isOdd ? [key] : [])
    }

    // MARK: - Operations

    /// Prepares an operation, whose time is then that of the work alone.
    ///
    /// - Returns: nil for what is not repeated.
    func work(for event: TraceEvent) throws -> Work? {
        saved = nil
        switch event.operation {
        case .put: return try put(event)
        case .insert: return try insert(event)
        case .stage, .read: return try contents.work(for: event)
        case .define, .undefine, .dropIndex, .index, .query: return try viewWork(for: event)
        case .compact: return { [database] in _ = try database.compact() }
        case .purge, .prune, .putLocal, .removeLocal, .expire: return change(event)
        case .get, .leaves, .list, .changes: return try reading(event)
        case .open, .close, .begin, .commit, .rollback, .snapshot, .snapshotEnd: return nil
        }
    }

    /// Remembers what the operation has changed.
    func finish(_ event: TraceEvent) {
        guard event.operation == .put || event.operation == .insert else { return }
        if let saved, let revision = event.revision, isNamed(revision) { revisions[revision] = saved }
        contents.used(event)
    }

    private func change(_ event: TraceEvent) -> Work {
        let document = document(event.subject)
        switch event.operation {
        case .purge: return { _ = try document.purge() }
        case .prune:
            let leaves = event.subjects.compactMap { revisions[$0] }
            return { _ = try document.purge(revisions: leaves) }
        case .putLocal:
            let json = TraceActor.body(of: event.subject, event.subject, size: event.size ?? 0)
            return { _ = try document.put(json: json) }
        case .removeLocal: return { _ = try document.delete() }
        default:
            let date = event.expiry.map { TraceActor.expiry(after: $0) }
            return { try document.setExpiration(date) }
        }
    }

    /// Nothing expires during a replay, or its timer would decide what is left.
    private static func expiry(after milliseconds: Int64) -> Date {
        let year2100: Int64 = 4_102_444_800_000
        let after = min(max(0, milliseconds), 1_000_000_000_000)
        return Date(timeIntervalSince1970: Double(year2100 + after) / 1000)
    }

    private func reading(_ event: TraceEvent) throws -> Work {
        let document = document(event.subject)
        let withBodies = event.size != nil
        switch event.operation {
        case .get:
            if let revision = event.revision.flatMap({ revisions[$0] }) {
                return { _ = try document.revision(revision) }
            }
            return { _ = try document.revision() }
        case .leaves: return { _ = try document.leafRevisions() }
        case .list:
            let query = database.allDocumentsQuery(
                descending: event.isDescending,
                limit: event.rows,
                includeDocs: withBodies
            )
            return { try query.forEach { _ in } }
        default:
            // Which ones the trace's were is not known: the latest.
            let last = try database.lastSequence
            let changes = database.changes(
                since: event.rows >= last ? 0 : last - UInt64(event.rows),
                limit: event.rows,
                descending: event.isDescending,
                includeDocs: withBodies
            )
            return { try changes.forEach { _ in } }
        }
    }

    private func viewWork(for event: TraceEvent) throws -> Work {
        let view = view(event.subject)
        switch event.operation {
        case .define:
            if event.isNew { definitions[event.subject, default: -1] += 1 }
            let definition = try definition(of: event.subject)
            return { _ = try view.define(definition) }
        case .undefine: return { try view.delete() }
        case .dropIndex: return { try view.deleteIndex() }
        case .index:
            let names = event.subjects.map(TraceFiller.text)
            return { [database] in try database.updateIndexes(of: names) }
        default:
            var query = view.query(descending: event.isDescending, limit: event.rows)
            if event.reduces {
                query.group = event.level > 0
            } else {
                query.mapOnly = true
                query.includeDocs = event.withDocuments
            }
            let made = query
            return { try made.forEach { _ in } }
        }
    }

    // MARK: - Revisions

    private static func body(of document: UInt64, _ revision: UInt64, size: UInt64) -> [UInt8] {
        let filling = TraceFiller.filling(revision, size: Int(clamping: size))
        return Array("{\"k\":\"\(TraceFiller.key(document))\",\"s\":\"\(filling)\"}".utf8)
    }

    private func body(_ event: TraceEvent) throws -> [UInt8] {
        let members = try contents.members(for: event)
        let left = (event.size ?? 0) - min(event.size ?? 0, members.stored)
        var json = TraceActor.body(of: event.subject, event.revision ?? 0, size: left)
        json.insert(contentsOf: members.text, at: 1)
        return json
    }

    private func put(_ event: TraceEvent) throws -> Work {
        let document = document(event.subject)
        var parent = event.parent.flatMap { revisions[$0] }
        if parent == nil, event.parent != nil { parent = try document.revision()?.id }
        let follows = parent
        if event.isDeleted, event.size ?? 0 <= 2 {
            return { self.saved = try document.delete(parent: follows).id }
        }
        var json = try body(event)
        if event.isDeleted { json.insert(contentsOf: Array("\"_deleted\":true,".utf8), at: 1) }
        let made = json
        return contents.retrying(event) {
            do throws(StorageError) {
                self.saved = try document.put(json: made, parent: follows).id
            } catch {
                guard error.code == .conflict else { throw error }
                // A branch that was made on purpose.
                let generation = follows.map { $0.generation + 1 } ?? event.generation
                let own = try TraceActor.revision(event.revision ?? 0, generation)
                _ = try document.forceInsert(json: made, history: [own] + (follows.map { [$0] } ?? []))
                self.saved = own
            }
        }
    }

    private func insert(_ event: TraceEvent) throws -> Work {
        let document = document(event.subject)
        let hash = event.revision ?? 0
        let known = event.parent.flatMap { revisions[$0] }
        // Those that are missing between the revision and the one that it follows, or all its ancestors.
        let missing = known == nil ? event.history - 1 : event.gap
        let generation = known.map { $0.generation + UInt64(missing) + 1 } ?? event.generation
        var history = [try TraceActor.revision(hash, generation)]
        for step in 0..<missing {
            history.append(try TraceActor.revision(hash &+ UInt64(step) &+ 1, generation - UInt64(step) - 1))
        }
        if let known { history.append(known) }
        let json = try body(event)
        let isDeleted = event.isDeleted
        return contents.retrying(event) {
            _ = try document.forceInsert(json: json, history: history, isDeleted: isDeleted)
            self.saved = history[0]
        }
    }

    private static func revision(_ hash: UInt64, _ generation: UInt64) throws(StorageError) -> RevisionID {
        try RevisionID(generation: generation, digest: (high: hash, low: ~hash))
    }
}
