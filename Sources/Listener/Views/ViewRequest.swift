internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeViews
internal import StorageProtocol

/// What a request asks of a view, in CouchDB's options and with its refusals.
///
/// Facts: CouchDB 3, `validate_args` in src/couch_mrview/src/couch_mrview_util.erl. `inclusive_start` and
/// `prefix_match_level` are Couchbase Lite's.
struct ViewRequest: Sendable {
    let options: ListingOptions
    /// Whether the rows are reductions.
    let isReduced: Bool
    /// Whether the answer says how many rows there are. CouchDB leaves it out of answers without an order.
    let showsTotals: Bool
    private let isGrouped: Bool
    private let prefixMatchLevel: Int

    /// - Throws: `query_parse_error` or `bad_request` (400) for malformed options, and those that contradict each other
    ///   or the view.
    init(_ options: RequestOptions, hasReduce: Bool) throws(CouchError) {
        let listing = try ListingOptions(options)
        let groups = try options.flag("group")
        self.options = listing
        guard listing.reduces != true || hasReduce else {
            throw .queryParse("Reduce is invalid for map-only views.")
        }
        isReduced = hasReduce && listing.reduces != false
        if groups == false, listing.groupLevel ?? 0 > 0 {
            throw .queryParse("Can't specify group=false and group_level>0 at the same time")
        }
        isGrouped = groups == true && listing.groupLevel == nil
        showsTotals = try options.flag("sorted") ?? true
        prefixMatchLevel = try options.count("prefix_match_level") ?? 0
        // One copy of a view is as stable as another where there is one.
        _ = try options.flag("stable")
        try checkKeys()
        try checkReduction(asksForConflicts: try options.flag("conflicts") != nil)
    }

    private func checkKeys() throws(CouchError) {
        guard options.keys == nil || !isReduced || isGrouped else {
            throw .queryParse("Multi-key fetchs for reduce views must use `group=true`")
        }
        try options.requireNoRangeBesideKeys()
    }

    private func checkReduction(asksForConflicts: Bool) throws(CouchError) {
        guard isReduced else {
            if isGrouped || options.groupLevel ?? 0 > 0 {
                throw .queryParse("Invalid use of grouping on a map view.")
            }
            return
        }
        if options.includesDocuments { throw .queryParse("`include_docs` is invalid for reduce") }
        if asksForConflicts { throw .queryParse("`conflicts` is invalid for reduce views.") }
    }

    /// The query of the view that answers the request.
    func query(of view: DatabaseView) -> DatabaseQuery {
        var query = view.query()
        query.startKey = options.key ?? options.startKey
        query.endKey = options.key ?? options.endKey
        // Only the bytes count, and not every text is the ID of a document.
        query.startKeyDocID = options.startDocumentID.map { DocumentID(unchecked: $0) }
        query.endKeyDocID = options.endDocumentID.map { DocumentID(unchecked: $0) }
        query.inclusiveStart = options.includesStart
        query.inclusiveEnd = options.includesEnd
        query.keys = options.isDescending ? options.keys?.reversed() : options.keys
        query.keepsKeyOrder = true
        query.descending = options.isDescending
        query.limit = options.limit
        query.skip = options.skip
        query.prefixMatchLevel = prefixMatchLevel
        query.mapOnly = !isReduced
        query.reduce = isReduced
        query.group = isReduced && isGrouped
        query.groupLevel = isReduced ? options.groupLevel ?? 0 : 0
        query.groupsOtherKeys = true
        query.keepsSumFaults = true
        query.includeDocs = options.includesDocuments
        query.update =
            switch options.update {
            case .before: .before
            case .never: .never
            case .after: .after
            }
        return query
    }

    /// Returns how many rows of the view stand before the first one of the answer; nil if it is not known, or not
    /// answered. Blocks.
    func offset(in view: DatabaseView, _ status: ViewStatus) throws -> UInt64? {
        guard !isReduced, showsTotals else { return nil }
        let isOfAll = options.keys != nil || options.key == nil && options.startKey == nil
        guard let before = isOfAll ? 0 : try query(of: view).rowsBefore() else { return nil }
        return min(before + UInt64(options.skip), status.rowCount)
    }

    /// What stands before the rows.
    func head(_ status: ViewStatus, offset: UInt64?) -> JSONAnswerText {
        var text = JSONAnswerText()
        text.raw("{")
        if !isReduced, showsTotals {
            text.raw(#""total_rows":"#)
            text.number(status.rowCount)
            text.raw(",")
        }
        if options.includesSequence {
            text.raw(#""update_seq":"#)
            text.number(status.lastSequence)
            text.raw(",")
        }
        if !isReduced, showsTotals {
            text.raw(#""offset":"#)
            if let offset { text.number(offset) } else { text.raw("null") }
            text.raw(",")
        }
        text.raw(#""rows":["#)
        text.raw("\n")
        return text
    }
}
