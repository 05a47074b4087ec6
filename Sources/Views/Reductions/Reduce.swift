public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Combines the rows of a view into one value, for the whole query or for each group of keys.
///
/// ```swift
/// try db.view("loans").setMap(version: "1", reduce: .sum) { document, emit in
///     emit(document["member"], document["days"])
/// }
/// ```
///
/// Parts of a reduction are stored with the index, so that a query over many rows reads few of them. A function of your
/// own is therefore called with rows, or with results of its own: see `ReduceInput`.
public struct Reduce: Sendable {
    enum Kind: Sendable {
        case count
        case sum
        case stats
        case approxCountDistinct
        case average
        case closure(@Sendable (ReduceInput) throws -> JSONValue)
        case texts(@Sendable (ReduceTexts) throws -> [UInt8])
    }

    let kind: Kind
    /// The name: `_count`, `_sum` and so on; `closure` for a function of the application.
    public let name: String
    /// The version of the function. Stored parts of another version are not used.
    public let version: String

    private init(_ kind: Kind, name: String, version: String = "1") {
        self.kind = kind
        self.name = name
        self.version = version
    }

    /// The number of rows: CouchDB's `_count`.
    public static let count = Reduce(.count, name: "_count")
    /// The sum of the values: CouchDB's `_sum`. The values are numbers; or arrays of numbers, which are added element
    /// by element, whatever their lengths, and numbers to the first one; or objects, which are added member by member.
    /// For other values, and for objects beside others, the query fails with `badRequest` (400), and so it does for a
    /// sum with more than 65,536 elements and members.
    ///
    /// The sum of integers is exact; beyond UInt64 it is the nearest double. If there are other numbers among them, it
    /// is the double nearest to the exact sum, whatever the order of the rows.
    public static let sum = Reduce(.sum, name: "_sum")
    /// An object with `sum`, `count`, `min`, `max` and `sumsqr` (the sum of the squares) of the values: CouchDB's
    /// `_stats`. Of arrays of one length it is an array of these, one for each element. If a value is something else,
    /// the query fails with `badRequest` (400).
    public static let stats = Reduce(.stats, name: "_stats")
    /// The approximate number of different keys, within about 5 per cent: CouchDB's `_approx_count_distinct`.
    public static let approxCountDistinct = Reduce(.approxCountDistinct, name: "_approx_count_distinct")
    /// The mean of the values. If a value is not a number, the query fails with `badRequest` (400).
    public static let average = Reduce(.average, name: "_average")

    /// Creates the function that a stored definition names: `_count`, `_sum`, `_stats`, `_approx_count_distinct` or
    /// `_average`; nil for any other name.
    public init?(named name: String) {
        let known = [Reduce.count, .sum, .stats, .approxCountDistinct, .average]
        guard let reduce = known.first(where: { $0.name == name }) else { return nil }
        self = reduce
    }

    /// Creates a function of your own.
    ///
    /// It must return the same for the same rows however they are divided: `body` of all rows must equal `body`, with
    /// `isRereduce`, of its results for any parts of them. It is called from any thread and must not call the database.
    /// The query throws its errors unchanged.
    ///
    /// - Parameter version: to be changed whenever the function changes.
    public init(version: String, _ body: @escaping @Sendable (ReduceInput) throws -> JSONValue) {
        self.init(.closure(body), name: "closure", version: version)
    }

    /// Creates a function that takes and returns canonical JSON, like a function of your own.
    ///
    /// - Parameter name: what `ViewStatus.reduce` says.
    package init(name: String, version: String, texts: @escaping @Sendable (ReduceTexts) throws -> [UInt8]) {
        self.init(.texts(texts), name: name, version: version)
    }

    /// Whether it is a function of the application.
    var isClosure: Bool {
        switch kind {
        case .closure, .texts: true
        default: false
        }
    }

    /// Whether it is a function of texts, which may run in another process.
    var takesTexts: Bool {
        if case .texts = kind { true } else { false }
    }

    /// Identifies the function that stored parts were made with.
    var identity: String { "\(name)/\(version)" }
}
