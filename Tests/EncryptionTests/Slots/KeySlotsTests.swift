import Foundation
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// The slots of one manifest together.
@Suite struct KeySlotsTests {
    private let unknown = Array(#"{"kdf":"argon2id","m":65536}"#.utf8)
    private let dear = Array(
        KnownSlots.pbkdf2.replacing("10000", with: "5000001").utf8
    )

    private func slot(_ dataKey: DataKey, _ key: StorageKey) throws -> [UInt8] {
        try KeySlot(wrapping: dataKey, with: key, cost: cheap).text
    }

    private func open(_ texts: [[UInt8]], _ key: StorageKey) throws -> DataKey? {
        try KeySlots(texts).open(with: SlotDerivations(key: key))
    }

    @Test func eachKeyOpensItsSlot() throws {
        let dataKey = try DataKey()
        let keys = try [StorageKey(passphrase: "a"), rawKey(1), StorageKey(passphrase: "b"), rawKey(2)]
        let texts = try keys.map { try slot(dataKey, $0) }
        for key in keys { #expect(try open(texts, key) == dataKey) }
        #expect(try open(texts, StorageKey(passphrase: "c")) == nil)
        #expect(try open(texts, rawKey(3)) == nil)
    }

    @Test func whatCannotBeUsedIsPassedOver() throws {
        let (dataKey, key) = try (DataKey(), rawKey(1))
        let slots = KeySlots([unknown, dear, [], try slot(dataKey, key), Array("{}".utf8)])
        #expect(try slots.open(with: SlotDerivations(key: key)) == dataKey)
        #expect(slots.passedOver == 4)
    }

    @Test func noSlotThatCanBeUsedIsANewerFormat() throws {
        for texts in [[], [unknown], [dear], [unknown, dear], [Array("{}".utf8)]] {
            for key in try [rawKey(1), StorageKey(passphrase: "a")] {
                let error = #expect(throws: StorageError.self) { try open(texts, key) }
                #expect(error?.code == .unsupportedFormat)
            }
        }
    }

    /// Nothing is derived for such a list, so nothing is known afterwards.
    @Test func tooManySlotsAreRefusedBeforeAnyWork() throws {
        let dataKey = try DataKey()
        let passphrase = try StorageKey(passphrase: "a")
        let one = try slot(dataKey, passphrase)
        let raw = try (0..<9).map { try slot(dataKey, rawKey($0)) }
        for texts in [
            raw, [[UInt8]](repeating: one, count: 5), [one, one, one, one, dear], Array(repeating: unknown, count: 9),
        ] {
            for key in try [passphrase, rawKey(0)] {
                let derivations = SlotDerivations(key: key)
                let error = #expect(throws: StorageError.self) { try KeySlots(texts).open(with: derivations) }
                #expect(error?.code == .unsupportedFormat)
                #expect(derivations.hasAll(of: KeySlots(texts)), "there is nothing to derive")
                #expect(!derivations.hasAll(of: KeySlots([raw[0], one])), "something was derived")
            }
        }
        #expect(try open(Array(raw.prefix(8)), rawKey(7)) == dataKey)
        #expect(try open([one, one, one, one] + raw.prefix(4), passphrase) == dataKey)
    }

    /// Whichever matches, all slots of the key's kind are tried, and no others.
    @Test func allSlotsOfTheKindAreTried() throws {
        let dataKey = try DataKey()
        let keys = try [rawKey(1), rawKey(2), rawKey(3)]
        let texts = try keys.map { try slot(dataKey, $0) }
        for key in try keys + [rawKey(4)] {
            let derivations = SlotDerivations(key: key)
            _ = try KeySlots(texts).open(with: derivations)
            for text in texts { #expect(derivations.hasAll(of: KeySlots([text]))) }
        }
        let passphrase = SlotDerivations(key: try StorageKey(passphrase: "a"))
        #expect(passphrase.hasAll(of: KeySlots(texts)), "a passphrase has nothing to try there")
    }

    @Test func whatIsDerivedIsKnownByTheSlotsText() throws {
        let (dataKey, key) = try (DataKey(), rawKey(1))
        let (first, second) = try (slot(dataKey, key), slot(dataKey, key))
        let derivations = SlotDerivations(key: key)
        #expect(!derivations.hasAll(of: KeySlots([first])))
        #expect(try KeySlots([first]).open(with: derivations) == dataKey)
        #expect(derivations.hasAll(of: KeySlots([first])))
        #expect(derivations.hasAll(of: KeySlots([first, unknown])))
        #expect(!derivations.hasAll(of: KeySlots([first, second])))
        #expect(try KeySlots([first, second]).open(with: derivations) == dataKey)
        #expect(derivations.hasAll(of: KeySlots([second, first])))
    }

    /// A slot for a passphrase in both copies of a manifest: the second one costs nothing. Measured in the thread's own
    /// processor time, which other work on the machine does not change.
    @Test func aDerivationIsDoneOnce() throws {
        let key = try StorageKey(passphrase: "a")
        let text = try KeySlot(wrapping: DataKey(), with: key, cost: .pbkdf2(rounds: 100_000)).text
        let derivations = SlotDerivations(key: key)
        let start = processorTime()
        let found = try KeySlots([text]).open(with: derivations)
        let middle = processorTime()
        let again = try KeySlots([text, text]).open(with: derivations)
        let end = processorTime()
        #expect(found != nil && again == found)
        #expect((end - middle) * 2 < middle - start)
    }

    private func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    @Test func manyThreadsMayAsk() async throws {
        let (dataKey, key) = try (DataKey(), rawKey(1))
        let slots = KeySlots(try (0..<8).map { try slot(dataKey, rawKey($0)) })
        let derivations = SlotDerivations(key: key)
        try await withThrowingTaskGroup(of: DataKey?.self) { group in
            for _ in 0..<32 { group.addTask { try slots.open(with: derivations) } }
            for try await found in group { #expect(found == dataKey) }
        }
    }

    @Test func nothingTellsTheKeys() throws {
        let key = try StorageKey(passphrase: "correct horse")
        let derivations = SlotDerivations(key: key)
        let slots = KeySlots([try slot(DataKey(StorageKey(bytes: [UInt8](repeating: 0x61, count: 32).span.bytes)), key)]
        )
        _ = try slots.open(with: derivations)
        var dumped = ""
        dump(derivations, to: &dumped)
        #expect(!dumped.contains("horse") && !dumped.contains("aaaa"))
    }
}
