import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// Texts of a hostile manifest: none traps, none requires more work than is allowed, and none opens except what was
/// written.
@Suite struct KeySlotFuzzTests {
    private let tokens = [
        #"{"kdf":""#, #""scrypt""#, #""raw""#, #""pbkdf2-sha512""#, #","n":"#, #","r":"#, #","p":"#, #","rounds":"#,
        #","salt":""#,
        #"","wrapped":""#, #""}"#, "0", "1", "16384", "4294967296", "9223372036854775807", "99999999999999999999", "-",
        "=", "==",
        "\\", "\"", "{", "}", "AAECAwQFBgcICQoLDA0ODw==", "\u{0}", "é",
    ].map { Array($0.utf8) }

    @Test func randomTexts() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<(isStress ? 3_000_000 : 30_000) {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                if Bool.random(using: &random) {
                    text += tokens.randomElement(using: &random)!
                } else {
                    text.append(.random(in: 0...255, using: &random))
                }
            }
            if case .slot(let slot) = KeySlot.read(text) {
                Issue.record("seed \(seed): \(slot.text)")
            }
        }
    }

    @Test func mutatedTexts() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        var slots = 0
        for round in 0..<(isStress ? 2_000_000 : 30_000) {
            let original = Array(KnownSlots.all.randomElement(using: &random)!.utf8)
            let text = mutated(original, using: &random)
            guard case .slot(let slot) = KeySlot.read(text) else { continue }
            slots += 1
            #expect(slot.text == text)
            // There is one text for each slot: what was read is written unchanged.
            let bound = KeySlot.boundText(slot.derivation, salt: slot.salt)
            #expect(
                KeySlot(slot.derivation, salt: slot.salt, bound: bound, wrapped: slot.wrapped) == slot,
                "seed \(seed)"
            )
            switch slot.derivation {
            case .passphrase(let cost):
                #expect(cost.isAllowed, "seed \(seed)")
                guard round % (isStress ? 20_000 : 3_000) == 0 else { continue }
                let opened = try slot.open(with: StorageKey(passphrase: KnownSlots.passphrase))
                #expect(opened == nil || text == original, "seed \(seed)")
            case .raw:
                #expect(try slot.open(with: rawKey(0xE0)) == nil || text == original, "seed \(seed)")
            }
        }
        #expect(slots > 100, "seed \(seed)")
    }

    private func mutated(_ original: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var text = original
        for _ in 0..<Int.random(in: 1...2, using: &random) where !text.isEmpty {
            let place = Int.random(in: text.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: text[place] = .random(in: 0...255, using: &random)
            case 1: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: text.remove(at: place)
            case 3: text.insert(contentsOf: tokens.randomElement(using: &random)!, at: place)
            case 4: text[place] = text.randomElement(using: &random)!
            default: text.removeSubrange(place..<min(place + 4, text.count))
            }
        }
        return text
    }
}
