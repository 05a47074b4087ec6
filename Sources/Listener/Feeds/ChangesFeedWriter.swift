internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeEngine

/// Writes a feed of changes to its client.
struct ChangesFeedWriter: Sendable {
    let served: ServedDatabase
    let wanted: ChangesOptions
    let core: ListenerCore
    let body: BodyReader
    /// Judges the client again; nil where nobody logs in.
    let access: FeedAccess?

    private static let shortestHeartbeat = 1_000

    /// All changes there are, then the end.
    ///
    /// - Parameter first: The first rows, which are read already.
    func normal(_ rows: ChangesRows, _ first: JSONAnswerText, _ sink: any AnswerSink) async throws {
        var (rows, first) = (rows, first)
        try await sink.write(ByteBuffer(string: #"{"results":["#))
        if first.count > 0 { try await sink.write(first.take()) }
        try await write(&rows, .list, sink)
        try await end(rows, sink)
    }

    /// Returns the first rows of a listing.
    func first(of rows: ChangesRows) async throws -> (ChangesRows, JSONAnswerText) {
        let (rows, text, _) = try await next(try await begun(rows), .list)
        return (rows, text)
    }

    /// The changes there are; if there are none, the first ones to come.
    func longpoll(_ rows: ChangesRows, _ sink: any AnswerSink) async throws {
        var rows = try await begun(rows)
        let deadline = deadline
        try await sink.write(ByteBuffer(string: #"{"results":["#))
        while true {
            let count = served.signal.count
            rows.resume()
            do {
                let judged = try await write(&rows, .list, sink)
                guard rows.sent == 0, rows.remaining != 0 else { break }
                guard try await wait(after: count, until: deadline, judged, sink) == .changed else { break }
            } catch is AccessRefusal {
                // What was sent is whole. The client learns why when it asks for more.
                break
            }
        }
        try await end(rows, sink)
    }

    /// A line for each change, without an end.
    func continuous(_ rows: ChangesRows, _ sink: any AnswerSink) async throws {
        var rows = try await begun(rows)
        // The client learns at once that it is connected.
        if wanted.heartbeat != nil { try await sink.write(ByteBuffer(string: "\n")) }
        do {
            try await follow(&rows, .lines, sink)
        } catch let error as CouchError where rows.isFiltered {
            return try await sink.write(ByteBuffer(bytes: error.body))
        } catch let refusal as AccessRefusal {
            return try await sink.write(ByteBuffer(bytes: refusal.error.body))
        }
        let pending = try await core.threads.run { [rows] in try rows.pending() }
        var text = JSONAnswerText()
        text.raw(#"{"last_seq":"#)
        text.number(rows.since)
        text.raw(#","pending":"#)
        text.number(pending)
        text.raw("}\n")
        try await sink.write(text.take())
    }

    /// Events as browsers read them (HTML, server-sent events).
    func eventsource(_ rows: ChangesRows, _ sink: any AnswerSink) async throws {
        var rows = try await begun(rows)
        try await sink.write(ByteBuffer(string: "\n"))
        do {
            try await follow(&rows, .events, sink)
        } catch let error as CouchError where rows.isFiltered {
            try await write(error, sink)
        } catch let refusal as AccessRefusal {
            try await write(refusal.error, sink)
        }
    }

    private func write(_ error: CouchError, _ sink: any AnswerSink) async throws {
        try await sink.write(ByteBuffer(bytes: Array("event: error\ndata: ".utf8) + error.body + [0x0A]))
    }

    private func begun(_ rows: ChangesRows) async throws -> ChangesRows {
        try await core.threads.run {
            var rows = rows
            try rows.begin()
            return rows
        }
    }

    private func follow(_ rows: inout ChangesRows, _ form: ChangesRows.Form, _ sink: any AnswerSink) async throws {
        while true {
            let count = served.signal.count
            rows.resume()
            let judged = try await write(&rows, form, sink)
            guard rows.remaining != 0 else { return }
            guard try await wait(after: count, until: deadline, judged, sink) == .changed else { return }
        }
    }

    /// Writes all rows that there are.
    ///
    /// - Returns: The last judgement of the client.
    @discardableResult
    private func write(
        _ rows: inout ChangesRows,
        _ form: ChangesRows.Form,
        _ sink: any AnswerSink
    ) async throws -> FeedAccess.Judgement? {
        var written = ContinuousClock.now
        var judged: FeedAccess.Judgement?
        while !rows.isDone {
            var text: JSONAnswerText
            (rows, text, judged) = try await next(rows, form)
            if text.count > 0 {
                try await sink.write(text.take())
            } else if let pause, written + pause < .now {
                // The filter accepts few.
                try await sink.write(sign)
            } else {
                continue
            }
            written = .now
        }
        return judged
    }

    /// The next rows, if the client may still read them.
    ///
    /// - Throws: `AccessRefusal` if it may not.
    private func next(
        _ rows: ChangesRows,
        _ form: ChangesRows.Form
    ) async throws -> (ChangesRows, JSONAnswerText, FeedAccess.Judgement?) {
        let work = { @Sendable () throws -> (ChangesRows, JSONAnswerText, FeedAccess.Judgement?) in
            let judged = try access?.judge()
            var rows = rows
            var text = JSONAnswerText()
            try rows.appendRows(form, to: &text)
            return (rows, text, judged)
        }
        return rows.isFiltered ? try await core.filters.run(work) : try await core.threads.run(work)
    }

    /// The longest time between signs of life; nil if the client wants none.
    private var pause: Duration? {
        wanted.heartbeat.map { .milliseconds(max($0, ChangesFeedWriter.shortestHeartbeat)) }
    }

    private var sign: ByteBuffer {
        ByteBuffer(string: wanted.feed == .eventsource ? "event: heartbeat\ndata: \n\n" : "\n")
    }

    private func end(_ rows: ChangesRows, _ sink: any AnswerSink) async throws {
        let pending = try await core.threads.run { try rows.pending() }
        var text = JSONAnswerText()
        text.raw("\n],\n\"last_seq\":")
        text.number(rows.since)
        text.raw(#","pending":"#)
        text.number(pending)
        text.raw("}\n")
        try await sink.write(text.take())
    }

    /// When a feed without a change ends. One with signs of life does not.
    private var deadline: ContinuousClock.Instant {
        if wanted.heartbeat != nil { return .now + .seconds(365 * 86_400) }
        let limit = core.options.feedTimeout
        return .now + .milliseconds(min(wanted.timeout ?? limit, limit))
    }

    /// Waits for a change, with a sign of life now and then.
    private func wait(
        after count: UInt64,
        until deadline: ContinuousClock.Instant,
        _ judged: FeedAccess.Judgement?,
        _ sink: any AnswerSink
    ) async throws -> ChangeSignal.Wake {
        let signal = served.signal
        guard let pause else { return await signal.wait(after: count, until: deadline, judged: judged, for: body) }
        while true {
            let until = min(deadline, .now + pause)
            let wake = await signal.wait(after: count, until: until, judged: judged, for: body)
            guard wake == .timeout, deadline > .now else { return wake }
            try await sink.write(sign)
        }
    }
}
