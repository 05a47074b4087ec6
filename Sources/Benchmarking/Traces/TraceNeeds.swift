internal import Settee
internal import StorageProtocol

/// What a trace supposes to be there when it begins, found by a look at all of it.
struct TraceNeeds: Sendable {
    /// A document, or a revision of one, in a database.
    struct Place: Hashable, Sendable {
        var database: Int
        var hash: UInt64
    }

    struct Document: Sendable {
        var place: Place
        /// The revision by which the trace knows it.
        var revision: UInt64?
        var size: UInt64
        var isLocal: Bool
    }

    /// Documents, in the order in which they are needed.
    private(set) var documents: [Document] = []
    /// Views, with whether they reduce: those that are asked or kept up to date.
    private(set) var reducing: [Place: Bool] = [:]
    /// Views that nobody defines before they are needed, in the order in which they are.
    private(set) var views: [Place] = []
    /// The revisions that something refers to.
    private(set) var named: Set<Place> = []
    private(set) var locals: Set<Place> = []
    /// The lengths of contents. The first one counts, whatever the trace says later.
    private(set) var contents: [Place: UInt64] = [:]
    /// How many bytes of bodies and contents are written.
    private(set) var bytes: UInt64 = 0

    init(_ events: [TraceEvent]) {
        for event in events {
            switch event.operation {
            case .putLocal, .removeLocal: locals.insert(Place(database: event.database, hash: event.subject))
            default: break
            }
        }
        var known: Set<Place> = []
        var defined: Set<Place> = []
        for event in events {
            note(event)
            let place = Place(database: event.database, hash: event.subject)
            switch event.operation {
            case .put, .insert, .putLocal:
                let isNew = event.parent == nil
                if known.insert(place).inserted, !isNew { add(place, event) }
                count(event)
            case .get, .leaves, .purge, .prune, .expire, .removeLocal:
                let isThere = event.operation == .get ? event.size != nil : event.operation != .leaves || event.rows > 0
                if isThere, known.insert(place).inserted { add(place, event) }
            case .define: defined.insert(place)
            case .query: need(place, &defined)
            case .index:
                for view in event.subjects { need(Place(database: event.database, hash: view), &defined) }
            case .stage: count(event)
            default: break
            }
        }
    }

    private mutating func note(_ event: TraceEvent) {
        if let parent = event.parent { named.insert(Place(database: event.database, hash: parent)) }
        switch event.operation {
        case .get:
            if let revision = event.revision { named.insert(Place(database: event.database, hash: revision)) }
        case .prune: for revision in event.subjects { named.insert(Place(database: event.database, hash: revision)) }
        case .define, .query:
            let place = Place(database: event.database, hash: event.subject)
            reducing[place] = reducing[place] ?? false || event.reduces
        default: break
        }
    }

    private mutating func add(_ place: Place, _ event: TraceEvent) {
        let revision = event.parent ?? (event.operation == .get ? event.revision : event.subjects.first)
        let isWritten = event.operation == .put || event.operation == .insert || event.operation == .get
        let document = Document(
            place: place,
            revision: event.operation == .get && event.revision == nil ? nil : revision,
            size: isWritten ? event.size ?? 0 : 0,
            isLocal: locals.contains(place)
        )
        documents.append(document)
        add(document.size)
    }

    private mutating func need(_ place: Place, _ defined: inout Set<Place>) {
        if defined.insert(place).inserted { views.append(place) }
    }

    private mutating func count(_ event: TraceEvent) {
        if event.operation == .stage {
            // Each time it is written anew.
            let place = Place(database: event.database, hash: event.subject)
            let length = contents[place] ?? event.size ?? 0
            contents[place] = length
            return add(length)
        }
        add(event.size ?? 0)
        // Each of the revisions before it takes about 40 bytes.
        add(UInt64(max(0, event.history)) * 40)
        for (content, length) in zip(event.subjects, event.lengths) { count(content, length, event) }
    }

    private mutating func count(_ content: UInt64, _ length: UInt64, _ event: TraceEvent) {
        let place = Place(database: event.database, hash: content)
        guard contents[place] == nil else { return }
        contents[place] = length
        add(length)
    }

    private mutating func add(_ size: UInt64) {
        let (sum, overflow) = bytes.addingReportingOverflow(max(size, UInt64(TraceFiller.smallestBody)))
        bytes = overflow ? .max : sum
    }
}
