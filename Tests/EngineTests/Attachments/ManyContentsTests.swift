import Foundation
import Settee
import SetteeEngine
import SetteeTestSupport
import StorageProtocol
import Testing

/// Contents that wait for their revision, more than a process may have open files.
@Suite("Many contents at a time") struct ManyContentsTests {
    private static let count = 600
    /// Far below one for each content; other tests have files, too.
    private static let most = 350

    private static var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    private func content(_ number: Int) -> [UInt8] { Array("content \(number)".utf8) }

    @Test("need no descriptor each, before and after their revision is saved", arguments: [StorageType.sqlite])
    func staged(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let before = Self.openFiles
            var contents: [StagedAttachment] = []
            var entries = JSONObject()
            for number in 0..<Self.count {
                let staged = try bed.database.stageAttachment(.bytes(content(number)))
                contents.append(staged)
                entries["\(number)"] = .object(["follows": true, "digest": .string(staged.digest)])
            }
            #expect(Self.openFiles < before + Self.most)
            let saved = try bed.database["d"].put(["_attachments": .object(entries)])
            #expect(Self.openFiles < before + Self.most)
            contents = []
            for number in 0..<Self.count {
                #expect(try saved.attachment(named: "\(number)")?.content() == content(number))
            }
            #expect(staging(bed) == [])
        }
    }

    @Test("come inline, and leave nothing if they are refused", arguments: [StorageType.sqlite])
    func inline(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var entries = JSONObject()
            for number in 0..<Self.count {
                entries["\(number)"] = .object(["data": .string(Data(content(number)).base64EncodedString())])
            }
            let most = Locked(Self.openFiles)
            let before = most.withLock { $0 }
            bed.database.setValidation("watch") { _, _ in most.withLock { $0 = max($0, Self.openFiles) } }
            try bed.database["d"].put(["_attachments": .object(entries)])
            #expect(most.withLock { $0 } < before + Self.most)
            entries["last"] = .object(["stub": true, "digest": "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="])
            expectError(.attachmentNotFound) { try bed.database["e"].put(["_attachments": .object(entries)]) }
            #expect(try bed.database.attachmentSpace().contents == UInt64(Self.count))
            #expect(staging(bed) == [])
        }
    }

    /// What is still staged.
    private func staging(_ bed: TestDatabase) -> [String] {
        let files = FileManager.default.enumerator(atPath: bed.database.path ?? "")?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".settee-staging-") }
    }
}
