import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Databases that real releases have written. They are not part of the project: without them these tests are skipped.
@Suite(.enabled(if: RealDatabase.areThere, "needs ../shared/data/couchbase-lite-1.x"))
struct RealDatabaseTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("The real databases are imported completely, into every engine", arguments: RealDatabase.all, [0, 1, 2])
    func whole(_ real: RealDatabase, engine: Int) throws {
        let options = engine < 2 ? targets[engine] : try encryptedTarget()
        let (database, report) = try imported(real.url, watching: real.folder.path, in: folder, options: options)
        defer { try? database.close() }
        #expect(report.problems == [])
        #expect(report.failed == 0)
        #expect(report.documents == real.leaves.count)
        #expect(report.revisions == real.leaves.count * 2)
        #expect(report.attachments == 2)
        #expect(report.localDocuments == (real.hasLocal ? 1 : 0))
        #expect(try database.statistics().documentCount == UInt64(real.leaves.count))
        var sequence: UInt64 = 2
        for (id, leaf) in real.leaves {
            #expect(try database.leaves(id) == [leaf])
            #expect(try database[id].revision()?.sequence == sequence)
            #expect(try database[id].history().count == 2)
            sequence += 2
        }
        for attachment in real.attachments {
            let revision = try #require(try database[attachment.document].revision())
            let found = try #require(try revision.attachment(named: attachment.name))
            #expect(found.length == attachment.length)
            #expect(found.contentType == attachment.type)
            #expect(try found.content().count == Int(attachment.length))
        }
        if real.hasLocal { #expect(try database["_local/local1"].revision()?.id.string == "1-local") }
        #expect(try database.publicUUID == real.publicUUID)
    }
}

struct RealDatabase: Sendable, CustomTestStringConvertible {
    struct Attachment: Sendable {
        var document: String
        var name: String
        var length: UInt64
        var type: String
    }

    var name: String
    var path: String
    var leaves: [(String, String)]
    var attachments: [Attachment]
    var hasLocal: Bool
    var publicUUID: String

    var testDescription: String { name }
    var folder: URL { RealDatabase.home.appending(path: name) }
    var url: URL { folder.appending(path: path) }

    /// Beside the project, wherever that is.
    static let home = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/data/couchbase-lite-1.x")

    static var areThere: Bool { FileManager.default.fileExists(atPath: home.path) }

    private static let text = "text/plain; charset=utf-8"

    static let all = [
        RealDatabase(
            name: "ios104",
            path: "iosdb.cblite",
            leaves: [("doc1", "2-01e46b8843c349e9c214fdbdf6312db0")],
            attachments: [
                Attachment(document: "doc1", name: "attach1", length: 7, type: text),
                Attachment(document: "doc1", name: "attach2", length: 7, type: text),
            ],
            hasLocal: false,
            publicUUID: "FBA738EF-EA1A-4CF2-BAD3-3A524C56D694"
        ),
        RealDatabase(
            name: "android110",
            path: "androiddb.cblite",
            leaves: [
                ("doc0", "2-7f53736aafa2cbc35ffe9a365978754a"), ("doc1", "2-80a3f66ca89fa16d1867ce4fe0f5e3b0"),
            ],
            attachments: [
                Attachment(document: "doc0", name: "file_0.txt", length: 9, type: text),
                Attachment(document: "doc1", name: "file_1.txt", length: 9, type: text),
            ],
            hasLocal: false,
            publicUUID: "14d876a5-c7ad-410b-a285-ad4a75257458"
        ),
        RealDatabase(
            name: "android120",
            path: "androiddb.cblite2",
            leaves: [
                ("doc1", "2-db9941f74d7fd45d60c272b796ae50c7"), ("doc2", "2-aaeb2815a598000a2f2afbbbf1ef4a89"),
            ],
            attachments: [
                Attachment(document: "doc1", name: "attach1", length: 7, type: text),
                Attachment(document: "doc2", name: "attach2", length: 7, type: text),
            ],
            hasLocal: true,
            publicUUID: "61553d39-8fe9-4fa7-a103-bbcc02b1456b"
        ),
        RealDatabase(
            name: "ios130",
            path: "iosdb.cblite2",
            leaves: [
                ("doc1", "2-b9a637ed67d8bd3a34eb85d1ceb2a4b6"), ("doc2", "2-49da92f93593ef8a453966bcf6727f01"),
            ],
            attachments: [
                Attachment(document: "doc1", name: "attach1", length: 7, type: text),
                Attachment(document: "doc2", name: "attach2", length: 7, type: text),
            ],
            hasLocal: true,
            publicUUID: "-d9EhMIFvI2nKMzJYnvQYrV"
        ),
        RealDatabase(
            name: "net140",
            path: "netdb.cblite2",
            leaves: [
                ("doc1", "2-a85b8292de5f5490b3895d76d85f9432"), ("doc2", "2-56cd1d1c6b694aabd9d6e341882ddc66"),
            ],
            attachments: [
                Attachment(document: "doc1", name: "attach1", length: 38_790, type: "image/png"),
                Attachment(document: "doc2", name: "attach2", length: 1706, type: "application/pgp-keys"),
            ],
            hasLocal: true,
            publicUUID: "-we7VQt01IEWVHZxjceY70w"
        ),
    ]
}
