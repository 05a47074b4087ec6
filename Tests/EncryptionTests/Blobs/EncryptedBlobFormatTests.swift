import Crypto
import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// The format of docs/guide/encryption.md, byte by byte.
@Suite struct EncryptedBlobFormatTests {
    /// Files of the data key 00 01 ... 1f with the salt a0 a1 ... af, computed with the AESGCM and HKDF classes of
    /// Python's `cryptography`.
    private static let vectors = [
        (
            "",
            """
            5345545445454231a0a1a2a3a4a5a6a7a8a9aaabacadaeaf542c68e6d1bab13e6169646b81446ef5ec259abd618fdb5b6f03433a7f09a5fe\
            39965be80089df971d48e4ac4fea16213cb6b0507bd3024405f11df19b99591121b023ef469583ddb1dbf963
            """,
            "ad1f85e44cce38f820a270a6d8530da43a5b0a108ed77134dacb66a985dc6777"
        ),
        (
            "abc",
            """
            5345545445454231a0a1a2a3a4a5a6a7a8a9aaabacadaeaf9f37533e724ba6a60f2169e3b7e2b7f03befbd278cf53ec8d77b59e902fef56c\
            74b409df2d4529384709a678fe90c4a4b311e8fd57c0ef9724ffd0efc40d7c5f6f705bb6e41da87bd3024405f11df26433724c36f119bf51\
            efe5d1ded4dcbd
            """,
            "d8d8377be8ae5de5e59cbc987864ae8c1b06ad246b204c2ef3dbe82cdceca5b8"
        ),
    ]

    /// The same for `n` bytes, the byte at `i` being the lowest of 7 · i: the file's length, SHA-256 and name.
    private static let longVectors = [
        (
            65_536, 65_652, "93d4fe4b1ac0f77c2e5c4b3790670bf04278447d0cd4fca31289eb590abdbb89",
            "08eedb603bcfcf03cd3168f0b87debb7fbaf7d6474a39ebf26e28560622a3521"
        ),
        (
            65_537, 65_669, "6986a9daa248481bb8eb4b5879fe09ab73da123a040e20ca8ff445ec5b0343bd",
            "7908d17beec380f3d26b53dd7f161f33f78dea49b38076fc25bff4e72dc6bc67"
        ),
        (
            200_000, 200_164, "76a358915f8fc81c1d185a0d84aecb23c55468be484d360443cc73eb0b2af61d",
            "925476006ad38bb446296b2a000bc35b1cf8e576f02e277681b052fc4d832c6e"
        ),
    ]

    private func bed() throws -> BlobFixture {
        try BlobFixture(EncryptedBlobCodec(dataKey: DataKey(BlobFixture.key())) { (0..<16).map { 0xA0 + $0 } })
    }

    @Test func filesAreAsTheFormatSays() throws {
        for (content, file, name) in Self.vectors {
            let bed = try bed()
            let made = try bed.put(Array(content.utf8))
            #expect(made.storageName == name)
            #expect(hexadecimal(try bed.file(name)) == file)
            #expect(try bed.read(name) == Array(content.utf8))
        }
    }

    @Test(arguments: [1, 4_096, 65_535, 65_536, 65_537, 200_000])
    func howManyBytesComeAtATimeDoesNotShow(piece: Int) throws {
        for (count, length, digest, name) in Self.longVectors {
            let bed = try bed()
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let writer = try bed.store.makeWriter()
            for start in stride(from: 0, to: count, by: piece) {
                try writer.append(Array(content[start..<min(start + piece, count)]).span.bytes)
            }
            #expect(try writer.finish().storageName == name)
            try writer.publish()
            let file = try bed.file(name)
            #expect(file.count == length)
            #expect(hexadecimal(SHA256.hash(data: file)) == digest)
            #expect(try bed.read(name) == content)
            #expect(try bed.store.size(name) == UInt64(count))
        }
    }

    @Test func aFileHasASaltOfItsOwn() throws {
        let (one, two) = (try BlobFixture(), try BlobFixture())
        let name = try one.put(Array("abc".utf8)).storageName
        #expect(try two.put(Array("abc".utf8)).storageName == name, "equal contents have one name")
        let (first, second) = (try one.file(name), try two.file(name))
        #expect(first[..<8] == second[..<8])
        #expect(first[8..<24] != second[8..<24])
        #expect(first[24...] != second[24...])
    }

    // MARK: - Sizes

    @Test func everySizeHasOneLengthOrNone() throws {
        let chunk = 65_536
        var lengths: [UInt64: UInt64] = [:]
        for border in [0, chunk, 2 * chunk] {
            for length in max(0, border - 20)...border + 20 {
                lengths[UInt64(100 + length + 16 * ((length + chunk - 1) / chunk))] = UInt64(length)
            }
        }
        for border in [0, 100, 100 + chunk + 16, 100 + 2 * (chunk + 16)] {
            for size in max(0, border - 20)...border + 36 {
                let size = UInt64(size)
                if let length = lengths[size] {
                    #expect(try BlobLayout(fileSize: size).length == length, "\(size)")
                } else {
                    let error = #expect(throws: StorageError.self, "\(size)") { try BlobLayout(fileSize: size) }
                    #expect(error?.code == .corrupt)
                }
            }
        }
    }

    @Test func noFileHasMoreChunksThanNumbers() throws {
        let most = UInt64(UInt32.max)
        let largest = try BlobLayout(fileSize: 100 + most * 65_552)
        #expect(largest.chunks == most)
        #expect(largest.length == most << 16)
        #expect(largest.trailerOffset + 76 == 100 + most * 65_552)
        #expect(largest.length(ofChunk: most - 1) == 65_536)
        #expect(BlobLayout.offset(ofChunk: most - 1) == 24 + (most - 1) * 65_552)
        let shorter = try BlobLayout(fileSize: 100 + (most - 1) * 65_552 + 17)
        #expect(shorter.chunks == most)
        #expect(shorter.length(ofChunk: most - 1) == 1)
        for size in [100 + most * 65_552 + 17, 100 + (most + 1) * 65_552, 1 << 62, .max] {
            let error = #expect(throws: StorageError.self, "\(size)") { try BlobLayout(fileSize: size) }
            #expect(error?.code == .corrupt)
        }
        #expect(BlobPart.chunk(most - 1, isLast: true).nonce == [0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 254, 1])
        #expect(BlobPart.chunk(0x0102_0304, isLast: false).nonce == [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0])
        #expect(BlobPart.trailer.nonce == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2])
    }

    /// What was sealed is never sealed again with other bytes, whatever goes wrong.
    @Test func anEncoderThatFailedIsOver() throws {
        let full = StorageError(.full, "No space is left.")
        for failing in 0..<3 {
            let encoder = try BlobFixture.codec().makeEncoder()
            var calls = 0
            func write(_ bytes: RawSpan) throws(StorageError) {
                defer { calls += 1 }
                if calls == failing { throw full }
            }
            let content = noise(65_537 * 2)
            let made = BlobContent(storageName: "", sha1: [], sha256: [], length: 0)
            let error = #expect(throws: StorageError.self) { try encoder.append(content.span.bytes, to: write) }
            #expect(error?.code == .full)
            #expect(throws: StorageError.self) { try encoder.append(content.span.bytes, to: write) }
            #expect(throws: StorageError.self) { try encoder.finish(made, to: write) }
            #expect(calls == failing + 1)
        }
    }
}
