import Crypto
import Foundation
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// The functions of swift-crypto, called as they are here. A key is the first 32 of the vectors' 64 bytes, which both
/// functions return for any length.
@Suite struct PassphraseDerivationTests {
    private func derive(_ passphrase: String, _ salt: String, _ cost: KeyCost) throws -> String {
        try derive(StorageKey(passphrase: passphrase), Array(salt.utf8), cost)
    }

    private func derive(_ key: StorageKey, _ salt: [UInt8], _ cost: KeyCost) throws -> String {
        let derived = try PassphraseDerivation.key(from: key, salt: salt, cost: cost)
        return derived.withUnsafeBytes { hexadecimal($0) }
    }

    /// RFC 7914, section 12. (The first vector has an empty passphrase, the last 1 GiB.)
    @Test func scryptIsThatOfItsRFC() throws {
        #expect(
            try derive("password", "NaCl", .scrypt(n: 1024, r: 8, p: 16))
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        )
        #expect(
            try derive("pleaseletmein", "SodiumChloride", .scrypt(n: 16_384, r: 8, p: 1))
                == "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
        )
    }

    /// The passphrases of RFC 6070 with SHA-512.
    @Test func pbkdf2IsThatOfOthers() throws {
        #expect(
            try derive("password", "salt", .pbkdf2(rounds: 1))
                == "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
        )
        #expect(
            try derive("password", "salt", .pbkdf2(rounds: 4096))
                == "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5"
        )
        #expect(
            try derive(
                "passwordPASSWORDpassword",
                "saltSALTsaltSALTsaltSALTsaltSALTsalt",
                .pbkdf2(rounds: 4096)
            ) == "8c0511f4c6e597c6ac6315d8f0362e225f3c501495ba23b868c005174dc4ee71"
        )
    }

    /// Costs at the limits of what swift-crypto accepts: with r = 16 and p = 1 there is not a byte to spare. By
    /// Python's hashlib.
    @Test(arguments: edges)
    func scryptTakesTheEdgesOfWhatIsAllowed(cost: KeyCost, expected: String) throws {
        #expect(cost.isAllowed)
        let key = try StorageKey(passphrase: KnownSlots.passphrase)
        #expect(try derive(key, (0..<16).map { UInt8($0) }, cost) == expected)
    }

    /// Each takes seconds without optimisation; the first two need the most and the least memory.
    private static let edges: [(KeyCost, String)] = {
        let all: [(KeyCost, String)] = [
            (.scrypt(n: 1 << 17, r: 16, p: 1), "42701437dec3a25fda1789305b14f04c197f8dad2cb0c11c96a439ca97679bdd"),
            (.scrypt(n: 1 << 15, r: 1, p: 4), "e2f07ef20d13f00bfaa54697914f380463487b644e5fbe65a2881ae6ce621fca"),
            (.scrypt(n: 1 << 14, r: 16, p: 4), "a154acf60f0ad042fe28f4f4eff020a041dfc68e2da4398f9b986f2ab2a18ab6"),
            (.scrypt(n: 1 << 18, r: 2, p: 4), "db21913b6c466492266d1331b3af9b6d90bec6c02b4efba849ae7dc9155316c1"),
            (.scrypt(n: 1 << 15, r: 16, p: 4), "e33feb9446112fc8bacc93eb5584e8716591571e79bdf0c5ca42340a9c8bfa20"),
        ]
        return ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? Array(all.prefix(2)) : all
    }()

    /// scrypt takes 128·r·(n + p + 1) bytes. The allowed costs never need much more than 256 MiB.
    @Test func whatIsAllowedTakesNoMoreMemoryThanItSays() {
        var allowed = 0
        for exponent in 0...40 {
            for r in 0...40 {
                for p in 0...40 {
                    let n = 1 << exponent
                    guard KeyCost.scrypt(n: n, r: r, p: p).isAllowed else { continue }
                    allowed += 1
                    #expect(128 * r * (n + p + 1) <= 256 << 20 + 64 << 10, "\(n) \(r) \(p)")
                    #expect(n < 1 << 14 || !KeyCost.scrypt(n: n + 1, r: r, p: p).isAllowed)
                }
            }
        }
        #expect(allowed > 100)
        for n in [Int.min, -1 << 14, -1, 0, 1, .max] {
            #expect(!KeyCost.scrypt(n: n, r: 8, p: 1).isAllowed)
            #expect(!KeyCost.scrypt(n: 1 << 14, r: n == 1 ? 0 : n, p: 1).isAllowed)
            #expect(!KeyCost.scrypt(n: 1 << 14, r: 8, p: n == 1 ? 0 : n).isAllowed)
            #expect(!KeyCost.pbkdf2(rounds: n).isAllowed)
        }
        for (rounds, isAllowed) in [(9_999, false), (10_000, true), (5_000_000, true), (5_000_001, false)] {
            #expect(KeyCost.pbkdf2(rounds: rounds).isAllowed == isAllowed)
        }
        #expect(KeyCost.standard.isAllowed)
    }

    /// A derivation that runs out of memory says so; it does not look like a wrong key.
    @Test func noMemoryIsAFailureOfTheStore() async {
        #if os(Linux)
        await #expect(processExitsWith: .success) {
            let key = try StorageKey(passphrase: "secret words")
            let text = KnownSlots.scrypt.replacing("16384", with: "262144")
            guard case .slot(let slot) = KeySlot.read(Array(text.utf8)) else { exit(2) }
            let statm = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let pages = UInt64(statm.split(separator: " ").first ?? "") ?? 0
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = rlim_t(pages * UInt64(getpagesize()) + (128 << 20))
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            do throws(StorageError) {
                exit(try slot.open(with: key) == nil ? 3 : 4)
            } catch {
                exit(error.code == .storage && !"\(error)".contains("secret") ? EXIT_SUCCESS : 5)
            }
        }
        #endif
    }
}
