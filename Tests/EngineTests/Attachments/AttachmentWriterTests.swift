import Crypto
import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import Testing

/// Contents that are pushed piece by piece.
@Suite struct AttachmentWriterTests {
    @Test(arguments: Storage.all, [1, 2, 3] as [UInt64]) func piecesOfAnySizeBecomeOneContent(
        _ type: StorageType,
        seed: UInt64
    ) throws {
        try withDatabase(type) { (bed) throws in
            var random = SeededGenerator(seed: seed)
            let writer = try bed.database.makeAttachmentWriter()
            var content: [UInt8] = []
            for _ in 0..<random.below(40) {
                let piece = (0..<random.below(random.below(4) == 0 ? 70_000 : 300)).map { _ in UInt8(random.below(256))
                }
                content += piece
                try writer.append(piece)
            }
            // Others write meanwhile.
            try bed.database["other"].put([:])
            let staged = try writer.finish()
            #expect(staged.length == UInt64(content.count))
            #expect(staged.digest == "sha1-" + Data(Insecure.SHA1.hash(data: content)).base64EncodedString())
            #expect(staged.md5Digest == "md5-" + Data(Insecure.MD5.hash(data: content)).base64EncodedString())
            for digest in [staged.digest, try #require(staged.md5Digest)] {
                let entry: JSONValue = ["follows": true, "digest": .string(digest)]
                let saved = try bed.database[digest].put(["_attachments": ["x": entry]])
                #expect(try saved.attachment(named: "x")?.content() == content)
            }
            #expect(try bed.database.attachmentSpace().contents == 1)
        }
    }

    @Test(arguments: Storage.all) func whatIsFinishedTakesNoMore(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let writer = try bed.database.makeAttachmentWriter()
            try writer.append(bytes("Hello"))
            let staged = try writer.finish()
            expectError(.notOpen) { try writer.append(bytes("!")) }
            expectError(.notOpen) { try writer.finish() }
            #expect(staged.length == 5)
        }
    }

    @Test func whatIsNotFinishedLeavesNothing() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let path = try #require(bed.database.path)
            // The folder of contents is made with the first one.
            _ = try bed.database.makeAttachmentWriter().finish()
            let before = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains("blob") }
            do {
                let writer = try bed.database.makeAttachmentWriter()
                try writer.append([UInt8](repeating: 7, count: 1 << 20))
            }
            let after = try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains("blob") }
            #expect(before == after)
        }
    }
}
