import Foundation
import Settee
import SetteeProgramSupport
import SetteeSystemLibrary
import Testing

/// Folders that hold something other than they should.
@Suite struct HostileFolderTests {
    let folder: Folder
    let source: Folder

    init() throws {
        folder = try Folder()
        source = try Folder()
    }

    private func refusal(_ url: URL) -> StorageError? {
        do {
            _ = try CouchbaseLiteImport(of: url).run(to: folder.url("new"))
            return nil
        } catch {
            return error
        }
    }

    private func made() throws -> OldFiles {
        let old = try OldFiles(source, .net140)
        let entry = try old.content(Array("content".utf8))
        try old.document(1, "d")
        try old.revision(1, of: 1, "1-x", #"{"_attachments":{"a":\#(entry)}}"#)
        try old.finish()
        return old
    }

    @Test("Links, pipes and folders in place of files are refused", arguments: ["", "-wal", "-journal"])
    func notFiles(_ suffix: String) throws {
        let old = try made()
        let path = old.file + suffix
        let other = try source.file("other", String(repeating: "x", count: 2000))
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        #expect(refusal(old.url)?.code == .badParameter)
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(refusal(old.url)?.code == .badParameter)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(refusal(old.url)?.code == .badParameter)
        #expect(try folder.entries() == [])
    }

    @Test("A content that is a link, or is reached through one, is not read")
    func linkedContents() throws {
        let old = try made()
        let blobs = try FileManager.default.contentsOfDirectory(atPath: old.attachments)
        let blob = old.attachments + "/" + (try #require(blobs.first))
        try FileManager.default.moveItem(atPath: blob, toPath: source.path("elsewhere"))
        try FileManager.default.createSymbolicLink(atPath: blob, withDestinationPath: source.path("elsewhere"))
        let (database, report) = try imported(old.url, in: folder)
        #expect(report.problems.count == 1)
        #expect(report.attachments == 0)
        try database.close()

        try FileManager.default.removeItem(atPath: blob)
        try FileManager.default.moveItem(atPath: source.path("elsewhere"), toPath: blob)
        try FileManager.default.moveItem(atPath: old.attachments, toPath: source.path("moved"))
        try FileManager.default.createSymbolicLink(atPath: old.attachments, withDestinationPath: source.path("moved"))
        let (second, behind) = try imported(old.url, in: folder)
        #expect(behind.problems.count == 1)
        try second.close()
    }

    @Test(
        "The path itself may lead through links, with a file as with a folder",
        arguments: [OldRelease.iOS110, .net140]
    )
    func linkedPath(_ release: OldRelease) throws {
        let old = try OldFiles(source, release)
        try old.document(1, "d")
        try old.revision(1, of: 1, "1-x")
        try old.finish()
        let link = source.url(release.path("link"))
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: old.url)
        let (database, report) = try imported(link, watching: source.path, in: folder)
        #expect(report.documents == 1)
        try database.close()
    }

    @Test("ForestDB is refused with advice", arguments: ["db.forest.0", "db.forest.meta", "v.viewindex.1"])
    func forestDB(_ name: String) throws {
        try FileManager.default.createDirectory(at: source.url("old.cblite2"), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: source.url("old.cblite2/" + name))
        let error = try #require(refusal(source.url("old.cblite2")))
        #expect(error.code == .unsupportedFormat)
        #expect(error.message.contains("ForestDB"))
    }

    @Test("Missing, empty and unsuitable sources, and an existing target")
    func places() throws {
        #expect(refusal(source.url("missing.cblite2"))?.code == .notFound)
        try FileManager.default.createDirectory(at: source.url("empty.cblite2"), withIntermediateDirectories: true)
        #expect(refusal(source.url("empty.cblite2"))?.code == .unsupportedFormat)
        let old = try made()
        _ = try Database.open(at: folder.url("there")).close()
        let error = #expect(throws: StorageError.self) {
            _ = try CouchbaseLiteImport(of: old.url).run(to: folder.url("there"))
        }
        #expect(error?.code == .exists)
        // Other tables, as 2.0 has them.
        let other = try OldFiles(source, .net140, name: "other")
        try other.sql("DROP TABLE revs; CREATE TABLE kv_default (key TEXT PRIMARY KEY); PRAGMA user_version = 201")
        other.close()
        #expect(refusal(other.url)?.code == .unsupportedFormat)
        // A view is no table, and may be made of anything.
        let view = try OldFiles(source, .net140, name: "view")
        try view.sql("ALTER TABLE docs RENAME TO other; CREATE VIEW docs AS SELECT * FROM other")
        view.close()
        #expect(refusal(view.url)?.code == .unsupportedFormat)
    }

    @Test("A closure that throws ends the import and leaves nothing behind")
    func cancelled() throws {
        let old = try made()
        let error = #expect(throws: StorageError.self) {
            _ = try CouchbaseLiteImport(of: old.url).run(to: folder.url("new")) { (_, _) throws(StorageError) in
                throw StorageError(.cancelled, "No more.")
            }
        }
        #expect(error?.code == .cancelled)
        #expect(try folder.entries() == [])
    }
}
