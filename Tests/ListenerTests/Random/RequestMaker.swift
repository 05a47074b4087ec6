internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageConformance
internal import StorageProtocol

@testable internal import SetteeListener

/// Makes requests about a few documents, with revisions that the client has seen: current ones, old ones, and ones that
/// nobody has.
struct RequestMaker {
    private var random: SeededGenerator
    private var seen: [String: [RevisionID]] = [:]
    private var locals: [String: String] = [:]
    private var sequence: UInt64 = 0
    private var made = 0

    private static let ids = [
        "a", "B", "b c", "d/e", "\u{E4}", "e\u{301}", "\u{1F6CB}", "z+%41", "10", "9", "q?x#y", "~",
    ]
    private static let names = ["note", "a/b", "\u{FC}.txt"]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next() throws -> ClientRequest {
        made += 1
        let id = documentID()
        switch random.below(20) {
        case 0...3: return .save(id, properties(), parent: parent(of: id))
        case 4: return .remove(id, try known(of: id))
        case 5, 6: return .read(id)
        case 7: return .readRevision(id, try known(of: id))
        case 8: return .readBranches(id)
        case 9, 10: return .saveMany(writes())
        case 11, 12: return .insertMany(try insertions())
        case 13: return .ask(id, [try known(of: id), try unknown(), try known(of: id)])
        case 14:
            let start = random.chance(1, in: 2) ? id : nil
            return .list(descending: random.chance(1, in: 2), start: start, limit: random.below(15))
        case 15: return .changes(since: random.chance(1, in: 3) ? 0 : sequence, limit: 1 + random.below(30))
        case 16:
            let content = random.bytes(random.below(200))
            return .attach(id, name: name(), content, parent: parent(of: id))
        case 17: return .readAttachment(id, name: name())
        case 18:
            let local = "l\(random.below(3))"
            return .saveLocal(local, properties(), parent: random.chance(9, in: 10) ? locals[local] : nil)
        default: return .readLocal("l\(random.below(4))")
        }
    }

    /// Notes what a client learns from an answer.
    mutating func learn(_ request: ClientRequest, _ answer: RequestModel.Answer) throws {
        switch request {
        case .saveLocal(let name, _, _):
            if let text = answer.json?.objectValue?["rev"]?.stringValue { locals[name] = text }
        case .insertMany(let insertions):
            for insertion in insertions { seen[insertion.id, default: []] += insertion.history }
        case .changes:
            if let last = answer.json?.arrayValue?.last?.objectValue?["seq"]?.intValue { sequence = UInt64(last) }
        default:
            let values = answer.json?.arrayValue ?? answer.json.map { [$0] } ?? []
            for value in values {
                guard let row = value.objectValue, row["ok"] == true, let id = row["id"]?.stringValue,
                    let text = row["rev"]?.stringValue
                else { continue }
                seen[id, default: []].append(try RevisionID(wire: text))
            }
        }
    }

    private mutating func properties() -> JSONObject {
        var properties: JSONObject = ["n": JSONValue(random.below(1_000_000))]
        if random.chance(1, in: 2) { properties["text"] = ["\u{0}\"\\", 1.5, nil, ["deep": [[], [:]]]] }
        return properties
    }

    /// Others after every 2,000 requests, so that no document gets thousands of branches.
    private mutating func documentID() -> String {
        let id = RequestMaker.ids[random.below(RequestMaker.ids.count)]
        return made <= 2_000 ? id : "\(id)\(made / 2_000)"
    }

    private mutating func name() -> String { RequestMaker.names[random.below(RequestMaker.names.count)] }

    /// Mostly the latest revision that the client has seen; sometimes an older one, or none.
    private mutating func parent(of id: String) -> RevisionID? {
        guard let revisions = seen[id], random.chance(19, in: 20) else { return nil }
        return random.chance(8, in: 10) ? revisions.last : revisions[random.below(revisions.count)]
    }

    private mutating func known(of id: String) throws -> RevisionID {
        guard let revisions = seen[id], random.chance(19, in: 20) else { return try unknown() }
        return revisions[random.below(revisions.count)]
    }

    private mutating func unknown() throws -> RevisionID {
        try RevisionID(wire: "\(1 + random.below(5))-\(hex())")
    }

    private mutating func hex() -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<32).map { _ in digits[random.below(16)] })
    }

    private mutating func writes() -> [ClientRequest.Write] {
        (0..<random.below(5)).map { _ in
            let id = documentID()
            var properties = properties()
            let parent = parent(of: id)
            if parent != nil, random.chance(1, in: 6) { properties["_deleted"] = true }
            return ClientRequest.Write(id: id, properties: properties, parent: parent)
        }
    }

    /// Revisions of other servers: new documents, and branches of known ones.
    private mutating func insertions() throws -> [ClientRequest.Insertion] {
        try (0..<random.below(5)).map { _ in
            let id = documentID()
            var history: [RevisionID] = []
            if let revisions = seen[id], random.chance(2, in: 3) {
                history = [revisions[random.below(revisions.count)]]
            }
            for _ in 0..<1 + random.below(3) {
                history.insert(try RevisionID(wire: "\((history.first?.generation ?? 0) + 1)-\(hex())"), at: 0)
            }
            var properties = properties()
            if random.chance(1, in: 5) { properties["_deleted"] = true }
            return ClientRequest.Insertion(id: id, properties: properties, history: history)
        }
    }
}
