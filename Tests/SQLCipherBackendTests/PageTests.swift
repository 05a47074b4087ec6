internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLCipher

/// Pages are checked one by one, except the one that SQLite never writes.
@Suite struct PageTests {
    /// A file over 1 GiB has a page there that was never written, which is not damage.
    @Test func thePlaceOfTheLocksIsLeftOut() throws {
        #expect(PageWalk.lockPage == 262_145)
        let seal = PageSeal(try rawKey(1), salt: [UInt8](repeating: 1, count: 16))
        let length = (1 << 30) + 3 * UInt64(PageSeal.pageSize)
        let asked = Locked<[UInt32]>([])
        let pages = PageWalk(length: length, used: 0) { number in
            asked.withLock { $0.append(number) }
            return nil
        }
        #expect(pages.count == 262_147)
        let found = try pages.damaged(seal, from: 262_140) { (_) throws(StorageError) in }
        #expect(found == [262_140, 262_141, 262_142, 262_143, 262_144, 262_146, 262_147])
        #expect(asked.withLock { !$0.contains(PageWalk.lockPage) })
    }

    @Test(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
    func theCodeCoversAPageAndItsNumber() throws {
        let store = try CipherStore()
        try store.open().close()
        let bytes = try store.fileBytes
        let seal = PageSeal(store.key, salt: bytes[..<16])
        let page = Array(bytes[4096..<8192])
        #expect(seal.isWhole(Array(bytes[..<4096]), number: 1))
        #expect(seal.isWhole(page, number: 2))
        #expect(!seal.isWhole(page, number: 3))
        #expect(!seal.isWhole(Array(page.dropLast()), number: 2))
        #expect(!PageSeal(try rawKey(1), salt: bytes[..<16]).isWhole(page, number: 2))
        for place in stride(from: 0, to: 4096 - 12, by: 13) {
            var damaged = page
            damaged[place] ^= 0x80
            #expect(!seal.isWhole(damaged, number: 2), "byte \(place)")
        }
    }
}
