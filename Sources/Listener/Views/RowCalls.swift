internal import SetteeViews
internal import StorageProtocol

/// The threads on which rows are read.
enum RowCalls: Sendable {
    case threads(BlockingThreads)
    /// For what may take long: reductions in JavaScript, and queries without an index.
    case long(LongCalls)

    func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
        switch self {
        case .threads(let threads): try await threads.run(work)
        case .long(let calls): try await calls.run(work)
        }
    }

    /// Returns the listing and the text with its next rows.
    func next(of listing: ViewListing, after text: JSONAnswerText) async throws -> (ViewListing, JSONAnswerText) {
        try await run {
            var (listing, text) = (listing, text)
            try listing.appendRows(to: &text)
            return (listing, text)
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
