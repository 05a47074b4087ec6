internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

/// The layout that docs/internals/kv-engine.md describes, computed.
@Suite
struct LongKeyLayoutTests {
    private let layout = LongKeyLayout(longestKey: 481)

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x61, count: count) }

    private func code<R>(_ body: () throws(StorageError) -> R) -> StorageError.Code? {
        do throws(StorageError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("a key of up to the cut is the store's key, a longer one begins with a continuation")
    func cuts() {
        #expect((layout.cut, layout.chunk) == (480, 472))
        #expect(layout.rootKey(of: bytes(480)) == bytes(480))
        #expect(layout.rootKey(of: bytes(481)) == bytes(480) + [1])
        #expect(layout.rootKey(of: bytes(5_000)) == bytes(480) + [1])
        #expect(layout.nodeKey(0x0102, bytes(1)[...]) == [0, 0, 0, 0, 0, 0, 1, 2, 0x61])
        #expect(layout.nodeKey(7, bytes(472)[...]) == [0, 0, 0, 0, 0, 0, 0, 7] + bytes(472))
        #expect(layout.nodeKey(7, bytes(473)[...]) == [0, 0, 0, 0, 0, 0, 0, 7] + bytes(472) + [1])
    }

    @Test("n zeros are stored as n + 1 zeros, and shown as n")
    func keepsZeros() {
        for count in 0..<5 {
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(LongKeyLayout.stored(zeros) == zeros + [0])
            #expect(LongKeyLayout.shown(zeros + [0]) == zeros)
            #expect(LongKeyLayout.stored(zeros + [1]) == zeros + [1])
            #expect(unsafe !layout.isPlain(zeros.span.bytes))
        }
        #expect(LongKeyLayout.shown([]) == [])
        let (plain, long) = (bytes(480), bytes(481))
        #expect(unsafe layout.isPlain(plain.span.bytes))
        #expect(unsafe !layout.isPlain(long.span.bytes))
    }

    @Test("a key that no layout makes, and a continuation that leads nowhere or back, are corrupt (591)")
    func refusesDamage() throws {
        func isContinuation(_ key: [UInt8]) throws(StorageError) -> Bool {
            try unsafe layout.isContinuation(key.span.bytes)
        }
        #expect(try isContinuation(bytes(480)) == false)
        #expect(try isContinuation(bytes(480) + [1]) == true)
        #expect(code { () throws(StorageError) in try isContinuation(bytes(480) + [2]) } == .corrupt)
        #expect(code { () throws(StorageError) in try isContinuation(bytes(480) + [1, 1]) } == .corrupt)
        func node(_ value: [UInt8], _ parent: UInt64) throws(StorageError) -> UInt64 {
            try unsafe LongKeyLayout.node(value.span.bytes, under: parent)
        }
        #expect(try node([0, 0, 0, 0, 0, 0, 1, 2], 0x0101) == 0x0102)
        #expect(code { () throws(StorageError) in try node([0, 0, 0, 0, 0, 0, 1, 2], 0x0102) } == .corrupt)
        #expect(code { () throws(StorageError) in try node([0, 0, 0, 0, 0, 1, 2], 0) } == .corrupt)
        #expect(code { () throws(StorageError) in try node([], 0) } == .corrupt)
        #expect(code { () throws(StorageError) in try LongKeyLayout.checkLength(1 << 22) } == nil)
        #expect(code { () throws(StorageError) in try LongKeyLayout.checkLength(1 << 22 + 1) } == .tooLarge)
    }
}
