/// Where a server listens.
struct BoundAddress: Sendable, Equatable {
    /// The address, as `127.0.0.1` or `::1`.
    var host: String
    var port: Int
}
