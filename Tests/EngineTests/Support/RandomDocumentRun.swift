import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// A seeded run of public calls on one database, compared with a plain model, with a log that must be the same on every
/// engine. It ends at the first difference, with an error that gives the seed and all steps.
struct RandomDocumentRun {
    /// A difference between database and model.
    struct Difference: Error, CustomStringConvertible {
        var description: String
    }

    private static let names = ["a", "b", "a/b", "caf\u{E9}", "cafe\u{301}", "😀", String(repeating: "k", count: 700)]

    let bed: TestDatabase
    let seed: UInt64
    let ids: [DocumentID]
    var generator: SeededGenerator
    var model = DocumentModel()
    /// What every engine must agree on: the steps, and all that was read.
    private(set) var log: [String] = []
    private(set) var steps: [String] = []
    private(set) var counter = 0
    /// Changes whenever the views' rows do.
    var viewVersion = 0
    private let observer = ChangeCollector()

    var database: Database { bed.database }

    init(_ bed: TestDatabase, seed: UInt64) throws {
        self.bed = bed
        self.seed = seed
        ids = try RandomDocumentRun.names.map { try DocumentID($0) }
        generator = SeededGenerator(seed: seed)
        try begin()
    }

    /// Runs `count` steps; an error says how to run it again.
    mutating func run(steps count: Int) throws {
        do {
            for _ in 0..<count { try step() }
            try compareViews()
            try compare()
            try compareObserved()
            try compareExport()
        } catch {
            throw Difference(
                description: "SETTEE_SEED=\(seed), \(bed.type), after these steps:\n"
                    + steps.map { "  \($0)\n" }.joined() + "\(error)"
            )
        }
    }

    private mutating func step() throws {
        switch random(40) {
        case 0: try reopen()
        case 1..<3: try compact()
        case 3: try replaceByCopy()
        case 4..<8: try transaction(rollsBack: false)
        case 8..<12: try transaction(rollsBack: true)
        case 12..<15: try compare()
        case 15..<18: try changeViews()
        case 18..<20: try compareViews()
        case 20: try convert()
        default: try change()
        }
    }

    // MARK: - Chance

    mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    mutating func pick() -> DocumentID { ids[random(ids.count)] }

    mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }

    mutating func number() -> Int {
        counter += 1
        return counter
    }

    // MARK: - Reporting

    mutating func note(_ step: String) {
        steps.append(step)
        log.append(step)
    }

    mutating func read(_ line: String) { log.append(line) }

    func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw Difference(description: what()) }
    }

    func requireSame(_ found: [String], _ expected: [String], _ what: String) throws {
        for place in 0..<max(found.count, expected.count) {
            let line = place < found.count ? found[place] : "(nothing)"
            let other = place < expected.count ? expected[place] : "(nothing)"
            guard line.utf8.elementsEqual(other.utf8) else {
                throw Difference(description: "\(what), line \(place):\n  found    \(line)\n  expected \(other)")
            }
        }
    }

    // MARK: - The database as a whole

    /// Sets what a database does not store.
    private func begin() throws {
        try setViews()
        database.setValidation("refuse") { revision, context in
            if revision.properties["reject"] != nil { context.reject() }
        }
        observer.observe(database)
    }

    private mutating func reopen() throws {
        note("reopen")
        try compareObserved()
        try bed.reopen()
        try begin()
    }

    private mutating func compact() throws {
        note("compact")
        try database.compact()
        model.compact()
        try check()
    }

    /// Converts the database to another engine while it is open.
    private mutating func convert() throws {
        note("convert")
        let number = random(Storage.everyPersistent.count - 1)
        guard bed.isPersistent else { return }
        let others = Storage.everyPersistent.filter { $0 != bed.type }
        let digest = try database.contentDigest()
        let counters = try database.counters()
        try bed.convert(to: others[number])
        try require(try database.contentDigest() == digest, "the content is another one after a conversion")
        // The space of dropped indexes is freed in the background, which counts as a change.
        var after = try database.counters()
        try require(after.changeCounter >= counters.changeCounter, "the change counter fell in a conversion")
        after.changeCounter = counters.changeCounter
        try require(after == counters, "the counters are others after a conversion")
        try check()
    }

    /// A copy of the open database has the same content, and so has a database that is replaced by it.
    private mutating func replaceByCopy() throws {
        note("replace by a copy")
        let number = number()
        guard bed.isPersistent else { return }
        try compareObserved()
        let digest = try database.contentDigest()
        let identity = try database.privateUUID
        let copy = bed.folder.url.appending(path: "copy-\(number)")
        try database.copy(to: copy)
        try bed.replace(by: copy)
        try begin()
        try require(try database.contentDigest() == digest, "the copy's content is another one")
        // The identity of the copy was between the two.
        let previous = try database.previousPrivateUUID
        try require(previous != nil && previous != identity, "the copy had no identity of its own")
    }

    private mutating func transaction(rollsBack: Bool) throws {
        let before = model
        note(rollsBack ? "begin, to be undone" : "begin")
        var copy = self
        do {
            try database.inTransaction {
                for _ in 0..<1 + copy.random(5) {
                    try copy.change()
                    try copy.compareListing()
                    if copy.random(3) == 0 { try copy.compareViews() }
                }
                if rollsBack { throw ApplicationError(number: 1) }
            }
        } catch let error as ApplicationError where rollsBack && error.number == 1 {
            copy.model = before
        } catch {
            self = copy
            throw error
        }
        self = copy
        note("end")
        try compare()
    }

    /// One change; every outcome is predicted.
    mutating func change() throws {
        let id = pick()
        switch random(40) {
        case 0..<5: try put(id)
        case 5..<9: try update(id)
        case 9..<12: try delete(id)
        case 12..<15: try branch(id)
        case 15..<21: try forceInsert(id)
        case 21: try purge(id)
        case 22..<24: try purgeRevisions(id)
        case 24..<26: try keepOne(id)
        case 26..<28: try merge(id)
        case 28: try deleteAllBranches(id)
        case 29: try changeDepth()
        case 30..<34: try attach(id)
        case 34..<36: try expire(id)
        case 36: try purgeExpired(id)
        case 37..<39: try local(DocumentID("_local/\(id)"))
        default: try info()
        }
    }

    // MARK: - Observers

    private func compareObserved() throws {
        let expected = model.changes
        let end = ContinuousClock.now + .seconds(120)
        while observer.changes.count < expected.count, ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: 0.002)
        }
        try requireSame(observer.changes, expected, "the changes observed")
    }
}

/// What the observer of a database is told, in order.
private final class ChangeCollector: Sendable {
    private let told = Locked<[String]>([])
    private let listener = Locked<ChangeListener?>(nil)

    var changes: [String] { told.withLock { $0 } }

    /// Follows another database from now on.
    func observe(_ database: Database) {
        let next = database.addChangeListener { [weak self] change in self?.tell(change) }
        listener.withLock { listener in
            listener?.remove()
            listener = next
        }
    }

    private func tell(_ change: DatabaseChange) {
        let text: String
        switch change {
        case .missed(let sequence): text = "missed since \(sequence)"
        case .document(let change):
            text =
                "\(change.sequence) \(change.documentID) \(change.kind) \(change.revisionID?.string ?? "-") "
                + "\(change.currentRevisionID?.string ?? "-") \(change.isDeletion) \(change.isDocumentDeleted) "
                + "\(change.isConflict) \(change.source ?? "-")"
        }
        told.withLock { $0.append(text) }
    }
}
