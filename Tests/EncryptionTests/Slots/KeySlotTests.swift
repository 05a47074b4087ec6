import Foundation
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// What opens a slot, and what does not.
@Suite struct KeySlotTests {
    private func slot(_ text: [UInt8]) throws -> KeySlot {
        guard case .slot(let slot) = KeySlot.read(text) else {
            Issue.record("no slot: \(String(decoding: text, as: UTF8.self))")
            throw CancellationError()
        }
        return slot
    }

    @Test(arguments: KnownSlots.all)
    func slotsOfAnotherProgramOpen(text: String) throws {
        let slot = try slot(Array(text.utf8))
        #expect(try slot.open(with: KnownSlots.key(for: text)) == DataKey(rawKey(0x80)))
        #expect(try slot.open(with: StorageKey(passphrase: "Größe 8")) == nil)
        #expect(try slot.open(with: rawKey(0xE1)) == nil)
    }

    @Test(arguments: [KeyCost.scrypt(n: 1 << 14, r: 1, p: 2), .scrypt(n: 1 << 14, r: 8, p: 1), cheap])
    func whatIsWrappedOpens(cost: KeyCost) throws {
        let dataKey = try DataKey()
        for key in try [StorageKey(passphrase: "a"), rawKey(3)] {
            let made = try KeySlot(wrapping: dataKey, with: key, cost: cost)
            let read = try slot(made.text)
            #expect(read == made)
            #expect(read.derivation == (key.kind == .raw ? .raw : .passphrase(cost)))
            #expect(try read.open(with: key) == dataKey)
            #expect(try read.open(with: StorageKey(passphrase: "b")) == nil)
            #expect(try read.open(with: rawKey(4)) == nil)
        }
    }

    @Test func aPassphraseOf32BytesIsNoRawKey() throws {
        let text = String(repeating: "k", count: 32)
        let raw = try StorageKey(bytes: Array(text.utf8).span.bytes)
        let dataKey = try DataKey()
        #expect(try KeySlot(wrapping: dataKey, with: raw, cost: cheap).open(with: StorageKey(passphrase: text)) == nil)
        #expect(try KeySlot(wrapping: dataKey, with: StorageKey(passphrase: text), cost: cheap).open(with: raw) == nil)
    }

    /// A nonce that is used twice under one key reveals the data key to anyone who sees both.
    @Test func saltAndNonceAreNewEachTime() throws {
        let (dataKey, key) = try (DataKey(), rawKey(9))
        let slots = try (0..<200).map { _ in try KeySlot(wrapping: dataKey, with: key, cost: cheap) }
        #expect(Set(slots.map(\.salt)).count == slots.count)
        #expect(Set(slots.map { Array($0.wrapped[..<12]) }).count == slots.count)
        #expect(Set(slots.map { Array($0.wrapped[12...]) }).count == slots.count)
    }

    @Test(arguments: [
        KeyCost.scrypt(n: 1 << 13, r: 8, p: 1), .scrypt(n: 1 << 20, r: 16, p: 4), .scrypt(n: 50_000, r: 8, p: 1),
        .scrypt(n: 1 << 16, r: 1, p: 1), .scrypt(n: .min, r: .max, p: 0), .pbkdf2(rounds: 1), .pbkdf2(rounds: .max),
    ])
    func costsOutOfRangeAreRefused(cost: KeyCost) throws {
        for key in try [StorageKey(passphrase: "a"), rawKey(1)] {
            let error = #expect(throws: StorageError.self) {
                try KeySlot(wrapping: DataKey(), with: key, cost: cost)
            }
            #expect(error?.code == .badParameter)
        }
    }

    /// Costs, salt, nonce, key and tag are all covered by the seal.
    @Test func aSlotThatWasChangedDoesNotOpen() throws {
        let key = try rawKey(0xE0)
        let text = Array(KnownSlots.raw.utf8)
        let original = try slot(text)
        for index in 0..<original.salt.count + original.wrapped.count {
            var (salt, wrapped) = (original.salt, original.wrapped)
            if index < salt.count { salt[index] ^= 1 } else { wrapped[index - salt.count] ^= 1 }
            let bound = KeySlot.boundText(.raw, salt: salt)
            #expect(
                try KeySlot(.raw, salt: salt, bound: bound, wrapped: wrapped).open(with: key) == nil,
                "byte \(index)"
            )
        }
        // The same key, salt and sealed bytes, with a different cost.
        let passphrase = try StorageKey(passphrase: "a")
        let made = try KeySlot(wrapping: DataKey(), with: passphrase, cost: .scrypt(n: 1 << 14, r: 1, p: 1))
        let other = String(decoding: made.text, as: UTF8.self).replacing(#""p":1"#, with: #""p":2"#)
        #expect(try slot(Array(other.utf8)).open(with: passphrase) == nil)
    }

    @Test func tenThousandWrongRawKeysOpenNothing() throws {
        let slot = try slot(Array(KnownSlots.raw.utf8))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<10_000 {
            let wrong = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(try slot.open(with: StorageKey(bytes: wrong.span.bytes)) == nil)
        }
    }
}
