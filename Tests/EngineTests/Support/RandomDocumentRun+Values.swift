import Foundation
import Settee
import SetteeTestSupport
import Testing

@testable import SetteeEngine

/// Changes of what documents have besides their bodies, and of what belongs to no document.
extension RandomDocumentRun {
    /// Few, so that documents share and reuse them. The longest one takes more than one line in an export.
    private static let contents: [DocumentModel.Content] = [
        .init(stored: bytes("hello"), plain: bytes("hello")),
        .init(stored: [], plain: []),
        .init(stored: Array(repeating: 7, count: 5000), plain: Array(repeating: 7, count: 5000)),
        .init(stored: (0..<300_000).map { UInt8($0 % 251) }, plain: (0..<300_000).map { UInt8($0 % 251) }),
        .init(
            stored: Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==").map { Array($0) } ?? [],
            plain: bytes("hello hello hello hello"),
            isGzip: true
        ),
    ]

    /// A content that is never set.
    static let unknownContent = DocumentModel.Content(stored: bytes("unknown"), plain: bytes("unknown"))

    mutating func content() -> DocumentModel.Content {
        RandomDocumentRun.contents[[0, 0, 0, 1, 1, 2, 2, 2, 2, 4, 4, 4, 3][random(13)]]
    }

    mutating func attachmentName() -> String { ["a.txt", "b", "dir/\u{E9}"][random(3)] }

    /// Sets, replaces or removes one attachment of the current revision.
    mutating func attach(_ id: DocumentID) throws {
        let winner = model.winner(id)
        let current = model.isLive(id) ? winner.flatMap { model.node(id, $0)?.body } : nil
        let name = attachmentName()
        let document = database[id.string]
        var draft = DocumentModel.Draft(properties: current?.properties ?? [:])
        draft.addStubs(of: current)
        guard random(3) > 0 else {
            guard draft.entries.removeValue(forKey: name) != nil else {
                return try expect(.unchanged, "detach \(id) \(name)") { try document.removeAttachment(named: name)?.id }
            }
            let outcome = try model.save(id, draft, parent: winner)
            return try expect(outcome, "detach \(id) \(name)") { try document.removeAttachment(named: name)?.id }
        }
        var content = content()
        // Bytes that are passed in are stored as they are.
        content.isGzip = false
        content.plain = content.stored
        draft.entries[name] = .data(.init(contentType: "text/plain", content: content, revpos: 0))
        let outcome = try model.save(id, draft, parent: winner)
        try expect(outcome, "attach \(id) \(name), \(content.stored.count) bytes") {
            try document.setAttachment(named: name, contentType: "text/plain", content: content.stored).id
        }
    }

    /// Far ahead, or never.
    mutating func expire(_ id: DocumentID) throws {
        let time: Int64? = random(3) == 0 ? nil : 4_000_000_000_000 + Int64(random(1_000_000_000))
        let document = database[id.string]
        note("expire \(id): \(time.map { "\($0)" } ?? "never")")
        let date = time.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        guard model.documents[id] != nil else {
            do throws(StorageError) {
                try document.setExpiration(date)
            } catch {
                return try require(error.code == .notFound, "\(error)")
            }
            throw Difference(description: "a document that is not there expires")
        }
        try document.setExpiration(date)
        model.setExpiration(id, time)
    }

    /// Dates in the past. In one transaction, since otherwise the database's timer would interfere.
    mutating func purgeExpired(_ id: DocumentID) throws {
        let others = ids.filter { $0 != id && model.documents[$0] != nil }
        let due = [id, pick(others)].compactMap { $0 }.filter { model.documents[$0] != nil }
        note("expired: \(due)")
        for (place, id) in due.enumerated() { model.setExpiration(id, Int64(1000 * (place + 1))) }
        let expected = model.expire(through: 1_000_000)
        let database = database
        let purged = try database.inTransaction {
            for (place, id) in due.enumerated() {
                try database[id.string].setExpiration(Date(timeIntervalSince1970: Double(place + 1)))
            }
            return try database.purgeExpiredDocuments()
        }
        try require(purged == expected, "\(purged) documents expired, expected \(expected)")
    }

    mutating func local(_ id: DocumentID) throws {
        let number = number()
        let document = database[id.string]
        switch random(3) {
        case 0 where model.locals[id] != nil:
            note("delete \(id)")
            try document.delete()
            model.setLocal(id, nil)
        case 1:
            note("update \(id)")
            try document.update { $0 = ["u": JSONValue(number)] }
            model.setLocal(id, #"{"u":\#(number)}"#)
        default:
            note("put \(id)")
            try document.put(["n": JSONValue(number)])
            model.setLocal(id, #"{"n":\#(number)}"#)
        }
    }

    mutating func info() throws {
        let key = ["layout", "caf\u{E9}", "z"][random(3)]
        let value = random(3) == 0 ? nil : "value \(number())"
        note("info \(key): \(value ?? "none")")
        try database.info.set(value, for: key)
        model.setInfo(key, value)
    }
}
