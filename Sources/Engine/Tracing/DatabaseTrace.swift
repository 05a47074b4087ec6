internal import StorageProtocol

/// What an open database records in its manager's trace.
package final class DatabaseTrace: Sendable {
    let recorder: TraceRecorder
    /// The number of the database in the trace.
    let number: Int

    init(_ recorder: TraceRecorder, uuid: String?) {
        self.recorder = recorder
        number = recorder.number(of: uuid)
    }

    /// When an operation begins, in nanoseconds.
    package var now: UInt64 { TraceRecorder.now }

    /// Adds a line about an operation that ends now.
    ///
    /// - Parameter took: how long it took, in nanoseconds; nil: since it began.
    func record(
        _ operation: StaticString,
        began: UInt64,
        took: UInt64? = nil,
        _ details: (inout TraceLine, TraceRecorder) -> Void = { _, _ in }
    ) {
        var line = TraceLine()
        line.text("op", operation.description)
        line.number("db", number)
        line.number("th", ThreadContext.current.traceNumber)
        line.number("at", (max(began, recorder.beginning) - recorder.beginning) / 1000)
        line.number("ns", took ?? TraceRecorder.now - began)
        details(&line, recorder)
        recorder.write(line)
    }

    // MARK: - The database

    func opened(_ database: Database, began: UInt64) {
        record("open", began: began) { line, _ in
            line.text("storage", database.storageType.name)
            line.flag("encrypted", database.setup.keys != nil)
            line.text("durability", database.durability == .full ? "full" : "normal")
            line.flag("readOnly", database.isReadOnly)
        }
    }

    func closed(began: UInt64) {
        record("close", began: began)
        recorder.flush()
    }

    func compacted(_ result: CompactionResult, began: UInt64) {
        record("compact", began: began) { line, _ in
            line.number("before", result.bytesBefore)
            line.number("after", result.bytesAfter)
        }
    }

    // MARK: - Reading

    /// - Parameters:
    ///   - revision: nil for the current one.
    ///   - size: the bytes of the body; nil if there is none.
    func got(_ id: DocumentID, _ revision: RevisionID? = nil, size: Int?, began: UInt64) {
        record("get", began: began) { line, recorder in
            line.text("id", recorder.hash(id))
            if let revision { line.text("rev", recorder.hash(revision, of: id)) }
            if let size { line.number("size", size) }
        }
    }

    func gotLeaves(_ id: DocumentID, _ leaves: [SavedRevision], began: UInt64) {
        record("leaves", began: began) { line, recorder in
            line.text("id", recorder.hash(id))
            line.number("rows", leaves.count)
            line.number("size", leaves.reduce(0) { $0 + $1.json.count })
        }
    }

    /// - Parameters:
    ///   - size: the bytes of the bodies; nil if none were asked for.
    ///   - isBySequence: whether the order is that of sequences, or else of IDs.
    ///   - took: without what the caller did with the rows, where that is known.
    package func listed(
        rows: Int,
        size: Int?,
        isBySequence: Bool = false,
        descending: Bool,
        began: UInt64,
        took: UInt64? = nil
    ) {
        record(isBySequence ? "changes" : "list", began: began, took: took) { line, _ in
            line.number("rows", rows)
            if let size { line.number("size", size) }
            line.flag("descending", descending)
        }
    }

    /// - Parameter content: the SHA-1 of what is stored.
    func read(_ content: [UInt8], at offset: UInt64, size: Int, began: UInt64) {
        record("read", began: began) { line, recorder in
            line.text("content", recorder.hash(.content, content))
            line.number("from", offset)
            line.number("size", size)
        }
    }

    func staged(_ content: [UInt8], size: UInt64, began: UInt64) {
        record("stage", began: began) { line, recorder in
            line.text("content", recorder.hash(.content, content))
            line.number("size", size)
        }
    }

    // MARK: - Views

    package func viewDefined(_ name: some Sequence<UInt8>, isNew: Bool, reduces: Bool, began: UInt64) {
        record("define", began: began) { line, recorder in
            line.text("view", recorder.hash(.view, name))
            line.flag("new", isNew)
            line.flag("reduce", reduces)
        }
    }

    /// - Parameter isDeleted: the view itself, or only its index.
    package func viewDeleted(_ name: some Sequence<UInt8>, isDeleted: Bool, began: UInt64) {
        record(isDeleted ? "undefine" : "dropIndex", began: began) { line, recorder in
            line.text("view", recorder.hash(.view, name))
        }
    }

    package func viewsUpdated(_ names: [[UInt8]], began: UInt64) {
        record("index", began: began) { line, recorder in
            line.texts("views", names.prefix(1000).map { recorder.hash(.view, $0) })
        }
    }

    /// - Parameters:
    ///   - level: above 0 for groups: how long their keys are, or 1,000 for whole keys.
    ///   - keys: how many keys were asked for; nil for a range.
    package func queried(
        _ name: some Sequence<UInt8>,
        rows: Int,
        reduces: Bool,
        level: Int,
        keys: Int?,
        withDocuments: Bool,
        descending: Bool,
        began: UInt64,
        took: UInt64
    ) {
        record("query", began: began, took: took) { line, recorder in
            line.text("view", recorder.hash(.view, name))
            line.number("rows", rows)
            line.flag("reduce", reduces)
            if level > 0 { line.number("level", level) }
            if let keys { line.number("keys", keys) }
            line.flag("documents", withDocuments)
            line.flag("descending", descending)
        }
    }
}
