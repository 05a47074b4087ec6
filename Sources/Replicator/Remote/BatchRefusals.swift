internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// Which documents of a batch a server has refused. CouchDB answers those alone, Sync Gateway all.
struct BatchRefusals: Sendable {
    private var refusals = JSONObject()
    private var errors: [PeerError] = []
    /// Those that no revision of the batch was asked about.
    private var unclaimed: Set<Int64> = []
    /// The most that a batch can have.
    private let limit: Int
    /// The error of a document whose ID the answer does not tell.
    private(set) var nameless: PeerError?

    /// - Parameter documents: how many were sent.
    init(of documents: Int) { limit = documents }

    var hasNameless: Bool { nameless != nil }

    mutating func add(_ row: JSONRows.Row) throws(PeerError) {
        guard case .text(let text) = row, let members = (try? JSONValue(parsing: text))?.objectValue else {
            throw .badAnswer("no list of outcomes")
        }
        guard let error = CouchError(row: members).map({ PeerError($0) }) else { return }
        guard let id = members["id"]?.stringValue else {
            nameless = error
            return
        }
        guard errors.count < limit else { throw .badAnswer("a list of other outcomes") }
        var known = refusals[id]?.objectValue ?? JSONObject()
        known[members["rev"]?.stringValue ?? ""] = JSONValue(errors.count)
        unclaimed.insert(Int64(errors.count))
        refusals[id] = .object(known)
        errors.append(error)
    }

    /// The error of a revision; nil if it was taken. One that was told without a revision is that of all.
    mutating func error(of id: String, _ revision: String) -> PeerError? {
        guard let known = refusals[id]?.objectValue, let number = (known[revision] ?? known[""])?.intValue else {
            return nil
        }
        unclaimed.remove(number)
        return errors[Int(number)]
    }

    /// Says that all revisions of the batch were asked about.
    ///
    /// - Throws: `badAnswer` if an error is that of none: then some of them were not taken.
    func expectNoOther() throws(PeerError) {
        guard unclaimed.isEmpty else { throw .badAnswer("a list of other outcomes") }
    }
}
