internal import Settee
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// The contents of attachments in a replay. They are named after their hashes.
final class TraceContents {
    private let database: Database
    /// Those that were written at some time.
    private var digests: [UInt64: String] = [:]
    /// Those that no revision may have yet, the oldest first.
    private var staged: [(content: UInt64, attachment: StagedAttachment)] = []
    /// A document that has it.
    private var owners: [UInt64: UInt64] = [:]
    /// The one that was read last.
    private var open: (content: UInt64, reader: AttachmentReader)?

    private static let mostStaged = 64
    private static let pieceSize = 1 << 18

    private let length: (UInt64) -> UInt64

    /// - Parameter length: of a content, by its hash.
    init(_ database: Database, length: @escaping (UInt64) -> UInt64) {
        self.database = database
        self.length = length
    }

    func work(for event: TraceEvent) throws -> TraceActor.Work {
        let content = event.subject
        if event.operation == .stage {
            return { try self.stage(content) }
        }
        guard let reader = try reader(content) else { throw missing }
        return {
            var offset = event.offset
            var left = event.size ?? 0
            while left > 0 {
                let piece = try reader.read(at: offset, count: Int(min(left, UInt64(TraceContents.pieceSize))))
                if piece.isEmpty { return }
                let (next, overflow) = offset.addingReportingOverflow(UInt64(piece.count))
                if overflow { return }
                offset = next
                left -= min(left, UInt64(piece.count))
            }
        }
    }

    private var missing: StorageError {
        StorageError(.attachmentNotFound, "The trace reads a content that no document has.")
    }

    private func reader(_ content: UInt64) throws -> AttachmentReader? {
        if let open, open.content == content { return open.reader }
        guard let owner = owners[content],
            let revision = try database[TraceFiller.text(owner)].revision(),
            let attachment = try revision.attachment(named: TraceFiller.text(content))
        else { return nil }
        let reader = try attachment.openReader()
        open = (content, reader)
        return reader
    }

    private func stage(_ content: UInt64) throws {
        // What was not used is written once more, and not kept twice.
        staged.removeAll { $0.content == content }
        var filler = TraceFiller(content)
        var left = length(content)
        let attachment = try database.stageAttachment(
            .pieces {
                guard left > 0 else { return nil }
                let count = Int(min(left, UInt64(TraceContents.pieceSize)))
                left -= UInt64(count)
                return filler.bytes(count)
            }
        )
        digests[content] = attachment.digest
        if staged.count == TraceContents.mostStaged { staged.removeFirst() }
        staged.append((content, attachment))
    }

    /// The member of a body about its attachments, with a comma; and how many bytes are stored for it.
    func members(for event: TraceEvent) throws -> (text: [UInt8], stored: UInt64) {
        guard !event.subjects.isEmpty else { return ([], 0) }
        var entries: [String] = []
        var stored = "\"_attachments\":{},".utf8.count - 1
        for content in Set(event.subjects).sorted() {
            if digests[content] == nil { try stage(content) }
            guard let digest = digests[content] else { continue }
            let name = "\"\(TraceFiller.text(content))\":"
            entries.append(name + "{\"digest\":\"\(digest)\",\"follows\":true}")
            let places = "\"length\":\(length(content)),\"revpos\":\(event.generation)"
            let stub = "{\"digest\":\"\(digest)\",\(places),\"stub\":true},"
            stored += name.utf8.count + stub.utf8.count
        }
        return (Array("\"_attachments\":{\(entries.joined(separator: ","))},".utf8), UInt64(stored))
    }

    /// Does what needs the contents of a revision's attachments, and writes them again if the database has lost some.
    func retrying(_ event: TraceEvent, _ work: @escaping TraceActor.Work) -> TraceActor.Work {
        guard !event.subjects.isEmpty else { return work }
        return {
            do {
                try work()
            } catch let error as StorageError {
                guard error.code == .attachmentNotFound else { throw error }
                for content in Set(event.subjects).sorted() { try self.stage(content) }
                try work()
            }
        }
    }

    /// A revision has them now.
    func used(_ event: TraceEvent) {
        guard !event.subjects.isEmpty else { return }
        for content in event.subjects { owners[content] = event.subject }
        staged.removeAll { event.subjects.contains($0.content) }
    }
}
