import Settee
import Testing

@testable import Engine

/// A seeded run of the public calls on one database, compared with a plain model after each step, with a log that must be
/// the same on every engine.
struct RandomDocumentRun {
    private static let names = ["a", "b", "a/b", "caf\u{E9}", "cafe\u{301}", "😀", String(repeating: "k", count: 700)]

    let bed: TestBed
    private let ids: [DocumentID]
    private var generator: SeededGenerator
    private(set) var model = DocumentModel()
    private(set) var log: [String] = []
    private var counter = 0
    /// Bodies of superseded revisions are gone from here on.
    private var hasCompacted = false

    private var database: Database { bed.database }

    init(_ bed: TestBed, seed: UInt64) throws {
        self.bed = bed
        ids = try RandomDocumentRun.names.map { try DocumentID($0) }
        generator = SeededGenerator(seed: seed)
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
        try compare()
    }

    mutating func step() throws {
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: try reopen()
        case 1: try compact()
        case 2..<6: try transaction(rollsBack: false)
        case 6..<9: try transaction(rollsBack: true)
        case 9..<12: try compare()
        default: try change()
        }
    }

    private mutating func pick() -> DocumentID { ids[Int.random(in: 0..<ids.count, using: &generator)] }

    private mutating func nextBody() -> String {
        counter += 1
        let text = String(repeating: "x", count: Int.random(in: 0..<40, using: &generator))
        return #"{"n":\#(counter),"s":"\#(text)"}"#
    }

    private mutating func reopen() throws {
        log.append("reopen")
        try bed.reopen()
    }

    private mutating func compact() throws {
        try database.compact()
        log.append("compact")
        hasCompacted = true
    }

    private mutating func transaction(rollsBack: Bool) throws {
        let before = model
        log.append(rollsBack ? "begin, to be undone" : "begin")
        var copy = self
        let steps = Int.random(in: 1..<6, using: &copy.generator)
        do {
            try database.inTransaction {
                for _ in 0..<steps {
                    try copy.change()
                    try copy.compare()
                }
                if rollsBack { throw ApplicationError(number: 1) }
            }
        } catch let error as ApplicationError where rollsBack && error.number == 1 {
            copy.model = before
        }
        self = copy
        log.append("end")
        try compare()
    }

    /// One change of one document; every outcome is known before.
    mutating func change() throws {
        let id = pick()
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<4: try put(id)
        case 4..<6: try update(id)
        case 6..<8: try delete(id)
        case 8: try purge(id)
        case 9: try local(DocumentID("_local/\(id)"))
        default: try forceInsert(id)
        }
    }

    private mutating func put(_ id: DocumentID) throws {
        let json = nextBody()
        let leaves = model.leaves(id).sorted()
        let known = model.documents[id].map { $0.keys.sorted() } ?? []
        let parent: String? =
            Int.random(in: 0..<3, using: &generator) == 0 ? nil : known.randomElement(using: &generator)
        let document = database[id.string]
        guard let parent else {
            if model.isLive(id) {
                expectError(.conflict) { try document.put(json: json) }
                return log.append("put \(id): conflict")
            }
            let saved = try document.put(json: json)
            #expect(saved.id.string == model.save(id, parent: model.winner(id), json: json, isDeleted: false))
            return log.append("put \(id): \(saved.id.string)")
        }
        let revision = try RevisionID(parent)
        guard leaves.contains(parent) else {
            expectError(.conflict) { try document.put(json: json, parent: revision) }
            return log.append("put \(id) on \(parent): conflict")
        }
        let saved = try document.put(json: json, parent: revision)
        #expect(saved.id.string == model.save(id, parent: parent, json: json, isDeleted: false))
        log.append("put \(id): \(saved.id.string)")
    }

    private mutating func update(_ id: DocumentID) throws {
        counter += 1
        let number = counter
        let outcome = try database[id.string].update { $0 = ["u": .int(Int64(number))] }
        let saved = try #require(outcome)
        #expect(
            saved.id.string == model.save(id, parent: model.winner(id), json: #"{"u":\#(number)}"#, isDeleted: false)
        )
        log.append("update \(id): \(saved.id.string)")
    }

    private mutating func delete(_ id: DocumentID) throws {
        let document = database[id.string]
        guard let winner = model.winner(id) else {
            expectError(.notFound) { try document.delete() }
            return log.append("delete \(id): missing")
        }
        let saved = try document.delete()
        if model.isLive(id) {
            #expect(saved.id.string == model.save(id, parent: winner, json: "{}", isDeleted: true))
        } else {
            #expect(saved.id.string == winner)
        }
        log.append("delete \(id): \(saved.id.string)")
    }

    private mutating func purge(_ id: DocumentID) throws {
        let wasThere = model.documents[id] != nil
        #expect(try database[id.string].purge() == wasThere)
        model.purge(id)
        log.append("purge \(id): \(wasThere)")
    }

    private mutating func local(_ id: DocumentID) throws {
        let json = nextBody()
        if model.locals[id] != nil, Bool.random(using: &generator) {
            try database[id.string].delete()
            model.setLocal(id, nil)
        } else {
            try database[id.string].put(json: json)
            model.setLocal(id, json)
        }
        log.append("local \(id)")
    }

    /// A branch from elsewhere: on top of a known revision, or with a root of its own.
    private mutating func forceInsert(_ id: DocumentID) throws {
        let json = nextBody()
        let isDeleted = Int.random(in: 0..<3, using: &generator) == 0
        let known = model.documents[id].map { $0.keys.sorted() } ?? []
        let parent = Bool.random(using: &generator) ? known.randomElement(using: &generator) : nil
        let generation = (parent.map(DocumentModel.generation) ?? 0) + 1
        let revision = "\(generation)-f\(Int.random(in: 0..<6, using: &generator))"
        let history = try [revision, parent].compactMap { try $0.map { try RevisionID($0) } }
        let isNew = model.documents[id]?[revision] == nil
        let inserted = try database.forceInsert(id, history: history, json: bytes(json), isDeleted: isDeleted)
        #expect(inserted == isNew)
        if isNew { model.insert(id, revision, parent: parent, json: json, isDeleted: isDeleted) }
        log.append("insert \(id) \(revision): \(inserted)")
    }

    /// Everything that can be read, against the model.
    mutating func compare() throws {
        let rows = try database.allDocuments(.init(includeDeleted: true, includeBodies: true)).rows()
        let listing = rows.map {
            "\($0.documentID.string) \($0.revisionID.string) \($0.isDeleted) \($0.isConflicted) \($0.text ?? "")"
        }
        #expect(listing.map(bytes) == model.listing.map(bytes))
        log += listing
        #expect(try database.documentCount == model.liveCount)
        #expect(try database.lastSequence == model.sequence)
        let changes = try database.changes(.init(includeBodies: true)).rows()
        #expect(changes.map(\.sequence) == rows.map(\.sequence).sorted())
        log += changes.map { "\($0.sequence) \($0.documentID.string) \($0.revisionID.string) \($0.text ?? "")" }
        for id in ids {
            let local = try DocumentID("_local/\(id)")
            #expect(try database[local.string].revision()?.text == model.locals[local])
            try compareRevisions(id)
        }
    }

    private func compareRevisions(_ id: DocumentID) throws {
        let leaves = Set(model.leaves(id))
        for (revision, node) in model.documents[id] ?? [:] {
            let found = try database.revision(RevisionID(revision), of: id)
            // Superseded bodies live until compaction.
            if leaves.contains(revision) || !hasCompacted { #expect(found?.text == node.json) }
            if let found {
                #expect(found.text == node.json)
                #expect(found.isDeleted == node.isDeleted)
            }
        }
    }
}
