internal import StorageProtocol

/// The acceptance test of the blob store's contract.
public enum BlobConformance {
    public static let tests: [BlobConformanceTest] = writing + reading + trash

    /// SHA-256 and SHA-1 of known texts, in hexadecimal digits.
    private static let vectors = [
        (
            "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709"
        ),
        (
            "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        ),
    ]

    private static let writing: [BlobConformanceTest] = [
        BlobConformanceTest("a blob has the digests and the length of its content; so has an empty one") { context in
            for (content, sha256, sha1) in vectors {
                let made = try context.put(bytes(content))
                context.equal(made.sha256.hexadecimal, sha256, "SHA-256 of '\(content)'")
                context.equal(made.sha1.hexadecimal, sha1, "SHA-1 of '\(content)'")
                context.equal(made.length, UInt64(content.utf8.count), "its length")
                context.equal(made.storageName.utf8.count, 64, "a name of 64 hexadecimal digits")
                context.equal(context.store.name(ofSHA256: made.sha256), made.storageName, "which the store foretells")
                context.equal(try context.content(made.storageName), bytes(content), "its content")
                context.equal(try context.store.size(made.storageName), made.length, "its size")
            }
        },
        BlobConformanceTest("the pieces that a blob is written in leave no trace") { context in
            let content = context.noise(200_003)
            let whole = try context.put(content, chunk: content.count)
            for chunk in [997, 4_096, 65_535, 65_536, 65_537, 199_999] {
                context.equal(try context.put(content, chunk: chunk), whole, "pieces of \(chunk) bytes")
            }
            context.equal(try context.put(Array(content.prefix(700)), chunk: 1).length, 700, "single bytes")
            context.expect(try context.content(whole.storageName) == content, "the content is whole")
            context.equal(try context.names().count, 2, "the same content is one blob")
        },
        BlobConformanceTest("nothing is visible before publish") { context in
            let content = context.noise(100_000)
            let writer = try context.write(content)
            context.equal(try context.names(), [], "not while it is written")
            let made = try writer.finish()
            context.equal(try context.names(), [], "not when it is finished")
            context.equal(try context.store.size(made.storageName), nil, "nor by its name")
            context.expect(try context.store.reader(made.storageName) == nil, "nor to readers")
            try writer.publish()
            context.equal(try context.names(), [made.storageName], "when it is published")
            writer.cancel()
            context.expect(try context.content(made.storageName) == content, "cancel after publish does nothing")
        },
        BlobConformanceTest("a writer reads what it finished, before it is visible and after") { context in
            for content in [[], context.noise(150_000)] {
                let writer = try context.write(content)
                context.fails(nil, "reading before finishing") { () throws(StorageError) in _ = try writer.reader() }
                _ = try writer.finish()
                let reader = try writer.reader()
                context.equal(reader.length, UInt64(content.count), "its length")
                context.expect(try reader.read(at: 0, count: content.count + 1) == content, "its content")
                context.equal(try context.names().count, content.isEmpty ? 0 : 1, "reading makes nothing visible")
                try writer.publish()
                context.expect(try reader.read(at: 0, count: content.count) == content, "what is open stays open")
                context.expect(try writer.reader().read(at: 0, count: content.count) == content, "and opens again")
            }
            let writer = try context.write(bytes("abc"))
            _ = try writer.finish()
            let reader = try writer.reader()
            writer.cancel()
            context.expect(try reader.read(at: 1, count: 9) == bytes("bc"), "what was given up stays open too")
            context.fails(nil, "reading what was given up") { () throws(StorageError) in _ = try writer.reader() }
        },
        BlobConformanceTest("a blob that is given up leaves nothing") { context in
            let written = try context.write(context.noise(70_000))
            written.cancel()
            written.cancel()
            let finished = try context.write(context.noise(70_000, seed: 2))
            let made = try finished.finish()
            finished.cancel()
            context.fails(nil, "publishing what was given up") { () throws(StorageError) in try finished.publish() }
            context.equal(try context.store.size(made.storageName), nil, "a cancelled blob is not there")
            _ = try context.write(context.noise(70_000, seed: 3))
            context.equal(try context.names(), [], "nor one whose writer was let go")
            context.equal(try context.store.trash().count, 0, "nor is anything in the trash")
        },
        BlobConformanceTest("a writer that has finished takes no more bytes; one that has not cannot publish") {
            context in
            let writer = try context.write(bytes("abc"))
            context.fails(nil, "publishing before finishing") { () throws(StorageError) in try writer.publish() }
            _ = try writer.finish()
            context.fails(nil, "appending after finishing") { () throws(StorageError) in
                try unsafe writer.append(bytes("d").span.bytes)
            }
            try writer.publish()
        },
        BlobConformanceTest("two writers of the same content both succeed, and there is one blob") { context in
            let content = context.noise(50_000)
            let first = try context.write(content)
            let second = try context.write(content)
            let made = try first.finish()
            context.equal(try second.finish(), made, "the same content has the same name")
            try first.publish()
            try second.publish()
            context.equal(try context.names(), [made.storageName], "one blob")
            context.expect(try context.content(made.storageName) == content, "with its content")
        },
        BlobConformanceTest("writers on many threads do not disturb each other") { context in
            let workers = (0..<4).map { number in
                context.thread { () throws(StorageError) in
                    for round in 0..<5 {
                        let content = context.noise(30_000 + number, seed: UInt64(round % 3))
                        let made = try context.put(content, chunk: 1_000 + number)
                        context.expect(try context.content(made.storageName) == content, "each reads what it wrote")
                    }
                }
            }
            for worker in workers { context.expect(worker.join(), "writers come to their end") }
            context.equal(try context.names().count, 12, "four lengths of three contents")
        },
    ]

    private static let reading: [BlobConformanceTest] = [
        BlobConformanceTest("ranges are read exactly, over every end") { context in
            let content = context.noise(150_000)
            let name = try context.put(content).storageName
            guard let reader = try context.store.reader(name) else {
                return context.report("a published blob has a reader", "a reader", "none")
            }
            context.equal(reader.length, 150_000, "the length")
            for (offset, count) in [(0, 1), (0, 150_000), (65_535, 2), (149_999, 1), (149_999, 2), (1, 149_998)] {
                let end = min(offset + count, content.count)
                let expected = Array(content[offset..<end])
                context.expect(try reader.read(at: UInt64(offset), count: count) == expected, "\(count) at \(offset)")
            }
            context.equal(try reader.read(at: 0, count: 0), [], "no bytes")
            context.equal(try reader.read(at: 150_000, count: 10), [], "none at the end")
            context.equal(try reader.read(at: UInt64.max, count: 10), [], "none far past it")
            context.equal(try reader.read(at: 149_990, count: Int.max).count, 10, "a count beyond any length")
        },
        BlobConformanceTest("a blob that is not there is nil everywhere") { context in
            let none = String(repeating: "0", count: 64)
            for name in [none, "", "x", "../" + none, "..", String(repeating: "é", count: 64), none + "\0"] {
                context.expect(try context.store.reader(name) == nil, "no reader")
                context.equal(try context.store.size(name), nil, "no size")
                context.equal(try context.store.moveToTrash(name, epoch: 1), false, "nothing to throw away")
                context.equal(try context.store.restore(name), false, "nothing to bring back")
                context.expect(try context.store.verify(name) != nil, "verify says that it is missing")
            }
        },
        BlobConformanceTest("names come until the closure returns false; its error comes out") { context in
            for n in 0..<5 { try context.put(bytes("blob \(n)")) }
            var seen = 0
            try context.store.names { (_) throws(StorageError) in
                seen += 1
                return seen < 3
            }
            context.equal(seen, 3, "no more after false")
            context.fails(.cancelled, "the closure's error") { () throws(StorageError) in
                try context.store.names { (_) throws(StorageError) in throw StorageError(.cancelled, "Enough of this.")
                }
            }
            context.equal(Set(try context.names()).count, 5, "all, each once")
        },
        BlobConformanceTest("verify notices damage") { context in
            let name = try context.put(context.noise(100_000)).storageName
            let other = try context.put(bytes("whole")).storageName
            context.equal(try context.store.verify(name), nil, "a blob is whole")
            guard let damage = context.row.damage else { return }
            context.damaged.set()
            try damage(context.store, context.directory, name)
            context.expect(try context.store.verify(name) != nil, "damage is noticed")
            context.equal(try context.store.verify(other), nil, "other blobs are whole")
        },
    ]

    private static let trash: [BlobConformanceTest] = [
        BlobConformanceTest("what is in the trash is absent, and comes back whole") { context in
            let content = context.noise(10_000)
            let name = try context.put(content).storageName
            context.equal(try context.store.moveToTrash(name, epoch: 7), true, "there was such a blob")
            context.equal(try context.store.moveToTrash(name, epoch: 8), false, "now there is none")
            context.equal(try context.names(), [], "it is not listed")
            context.equal(try context.store.size(name), nil, "it has no size")
            context.expect(try context.store.reader(name) == nil, "and no reader")
            let trash = try context.store.trash()
            context.equal(trash.map(\.name), [name], "it is in the trash")
            context.equal(trash.map(\.epoch), [7], "under its epoch")
            let reader = try context.store.trashedReader(name)
            context.expect(try reader?.read(at: 0, count: content.count) == content, "where it can be read")
            context.equal(try context.store.restore(name), true, "it comes back")
            context.equal(try context.store.restore(name), false, "once")
            context.expect(try context.store.trashedReader(name) == nil, "and leaves the trash")
            context.expect(try context.content(name) == content, "whole")
            context.equal(try context.store.trash().count, 0, "the trash is empty")
        },
        BlobConformanceTest("the trash is emptied below an epoch, not at it") { context in
            for epoch in UInt64(1)...4 {
                let content = [UInt8](repeating: UInt8(epoch), count: Int(epoch) * 1_000)
                _ = try context.store.moveToTrash(try context.put(content).storageName, epoch: epoch)
            }
            context.equal(try context.store.emptyTrash(before: 1).blobs, 0, "none is older than 1")
            let gone = try context.store.emptyTrash(before: 3)
            context.equal(gone.blobs, 2, "those of 1 and 2")
            context.equal(gone.bytes, 3_000, "their bytes")
            context.equal(Set(try context.store.trash().map(\.epoch)), [3, 4], "those of 3 and 4 stay")
            context.equal(try context.store.emptyTrash(before: UInt64.max).blobs, 2, "and go in their turn")
            context.equal(try context.store.trash().count, 0, "the trash is empty")
        },
        BlobConformanceTest("content that is written again while its blob is in the trash is there") { context in
            let content = context.noise(5_000)
            let name = try context.put(content).storageName
            _ = try context.store.moveToTrash(name, epoch: 1)
            context.equal(try context.put(content).storageName, name, "the same name")
            _ = try context.store.emptyTrash(before: UInt64.max)
            context.expect(try context.content(name) == content, "emptying the trash does not touch it")
        },
        BlobConformanceTest("a reader goes on after trash and deletion") { context in
            let content = context.noise(100_000)
            let name = try context.put(content).storageName
            guard let reader = try context.store.reader(name) else {
                return context.report("a published blob has a reader", "a reader", "none")
            }
            let first = try reader.read(at: 0, count: 1_000)
            _ = try context.store.moveToTrash(name, epoch: 1)
            let second = try reader.read(at: 1_000, count: 1_000)
            _ = try context.store.emptyTrash(before: 2)
            let rest = try reader.read(at: 2_000, count: 98_000)
            context.expect(first + second + rest == content, "every byte")
            context.expect(try context.store.reader(name) == nil, "while new readers find nothing")
        },
    ]
}

extension [UInt8] {
    fileprivate var hexadecimal: String {
        flatMap { [String($0 >> 4, radix: 16), String($0 & 15, radix: 16)] }.joined()
    }
}
