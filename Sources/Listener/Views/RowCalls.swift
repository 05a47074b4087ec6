internal import SetteeViews
internal import StorageProtocol

/// The threads on which the rows of a view are read.
enum RowCalls: Sendable {
    case threads(BlockingThreads)
    /// For reductions in JavaScript, which may take long.
    case long(LongCalls)

    /// Returns the listing and the text with its next rows.
    func next(of listing: ViewListing, after text: JSONAnswerText) async throws -> (ViewListing, JSONAnswerText) {
        let work = { @Sendable () throws -> (ViewListing, JSONAnswerText) in
            var (listing, text) = (listing, text)
            try listing.appendRows(to: &text)
            return (listing, text)
        }
        switch self {
        case .threads(let threads): return try await threads.run(work)
        case .long(let calls): return try await calls.run(work)
        }
    }
}

extension ListenerCore {
    /// - Parameter status: Of the view whose rows are reduced; nil if they are not.
    func calls(reducing status: ViewStatus?) -> RowCalls {
        let isBuiltIn = status?.reduce.map { $0.utf8.first == UInt8(ascii: "_") } ?? true
        return isBuiltIn ? .threads(threads) : .long(builds.calls)
    }
}
