public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// How the rows of a view are put together into one value: for the whole query, or for each group of keys.
///
/// ```swift
/// try db.view("loans").setMap(version: "1", reduce: .sum) { document, emit in
///     emit(document["member"], document["days"])
/// }
/// ```
///
/// Parts of a reduction are stored with the index, so that a query of many rows reads few of them. A function of your
/// own therefore gets rows at one time and results of its own at another: see `ReduceInput`.
public struct Reduce: Sendable {
    enum Kind: Sendable {
        case count
        case sum
        case stats
        case approxCountDistinct
        case average
        case closure(@Sendable (ReduceInput) throws -> JSONValue)
    }

    let kind: Kind
    /// What it is called: `_count`, `_sum` and so on, `closure` for a function of the application.
    public let name: String
    /// Which form of it this is. Stored parts of another version are not used.
    public let version: String

    private init(_ kind: Kind, name: String, version: String = "1") {
        self.kind = kind
        self.name = name
        self.version = version
    }

    /// The number of rows: CouchDB's `_count`.
    public static let count = Reduce(.count, name: "_count")
    /// The sum of the values, which must be numbers, otherwise the query fails with `badRequest` (400): CouchDB's
    /// `_sum`.
    ///
    /// The sum of integers is exact; beyond UInt64 it is the nearest double. With other numbers among them it is the
    /// double nearest to the exact sum, whatever the order of the rows.
    public static let sum = Reduce(.sum, name: "_sum")
    /// An object with `sum`, `count`, `min`, `max` and `sumsqr` (the sum of the squares) of the values, which must be
    /// numbers, otherwise the query fails with `badRequest` (400): CouchDB's `_stats`.
    public static let stats = Reduce(.stats, name: "_stats")
    /// About how many different keys there are, within some 5 per cent: CouchDB's `_approx_count_distinct`.
    public static let approxCountDistinct = Reduce(.approxCountDistinct, name: "_approx_count_distinct")
    /// The mean of the values, which must be numbers, otherwise the query fails with `badRequest` (400).
    public static let average = Reduce(.average, name: "_average")

    /// The function that a stored definition names: `_count`, `_sum`, `_stats`, `_approx_count_distinct` or `_average`;
    /// nil for any other name.
    public init?(named name: String) {
        let known = [Reduce.count, .sum, .stats, .approxCountDistinct, .average]
        guard let reduce = known.first(where: { $0.name == name }) else { return nil }
        self = reduce
    }

    /// A function of your own.
    ///
    /// It must yield the same for the same rows however they are divided: `body` of all rows must be `body`, with
    /// `isRereduce`, of what it yielded for any parts of them. It is called from any thread, must not call the
    /// database, and what it throws comes out of the query as it is.
    ///
    /// - Parameter version: to be changed whenever the function is.
    public init(version: String, _ body: @escaping @Sendable (ReduceInput) throws -> JSONValue) {
        self.init(.closure(body), name: "closure", version: version)
    }

    /// Whether it is a function of the application.
    var isClosure: Bool {
        if case .closure = kind { true } else { false }
    }

    /// Names what stored parts were made with.
    var identity: String { "\(name)/\(version)" }
}
