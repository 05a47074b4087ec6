import Foundation
import StorageProtocol
import Testing

@testable import SetteeEncryption

/// Which copy of the manifest is used: the rules of docs/guide/encryption.md on all pairs of copies, and the scenarios
/// they were made for.
@Suite struct ManifestChoiceTests {
    let users: [StorageKey]
    let dataKeys: [DataKey]
    /// By data key and user.
    let slots: [[[UInt8]]]
    let forged: ManifestCandidate
    static let unknown = Array(#"{"kdf":"argon2id","m":65536}"#.utf8)

    init() throws {
        let users = try (0..<3).map { try rawKey(UInt8($0)) }
        dataKeys = try [DataKey(), DataKey()]
        slots = try dataKeys.map { dataKey in
            try users.map { try KeySlot(wrapping: dataKey, with: $0).text }
        }
        self.users = users
        let other = try DataKey()
        forged = try Self.copy(1, [KeySlot(wrapping: other, with: rawKey(99)).text], sealedBy: other)
    }

    private static func copy(
        _ serial: UInt64,
        _ slots: [[UInt8]],
        sealedBy dataKey: DataKey?,
        tampered: Bool = false,
        of uuid: String = "a"
    ) throws -> ManifestCandidate {
        let text = Array(#"{"serial":\#(serial)"#.utf8) + slots.joined()
        return ManifestCandidate(
            serial: serial,
            isEncrypted: true,
            keySlots: KeySlots(slots),
            databaseUUID: uuid,
            sealedText: (tampered ? text + [0] : text)[...],
            code: try dataKey.map { try ManifestSeal($0.manifestKey(databaseUUID: uuid)).code(of: text[...]) }
        )
    }

    private static func plain(_ serial: UInt64) -> ManifestCandidate {
        ManifestCandidate(
            serial: serial,
            isEncrypted: false,
            keySlots: KeySlots([]),
            databaseUUID: "a",
            sealedText: [],
            code: nil
        )
    }

    private func choose(_ candidates: [ManifestCandidate], _ key: StorageKey?) throws -> ManifestChoice {
        let derivations = key.map { SlotDerivations(key: $0) }
        return try ManifestChoice(of: candidates, with: derivations)
    }

    private func refusal(_ candidates: [ManifestCandidate], _ key: StorageKey?) -> StorageError? {
        #expect(throws: StorageError.self) { try choose(candidates, key) }
    }

    // MARK: All pairs

    /// What one copy is, as its maker knows.
    private enum Kind: CaseIterable {
        case plain
        case first, second
        case firstByTwo
        case rotated, rotatedToSecond
        case tampered, withoutCode
        case forged, forgedWithGenuineSlot
        case unknownSlots, unknownAndFirst, noSlots

        /// The data key of the slots, and the users who open them.
        var opens: (dataKey: Int, users: [Int])? {
            switch self {
            case .plain, .forged, .unknownSlots, .noSlots: nil
            case .first, .tampered, .withoutCode, .unknownAndFirst, .forgedWithGenuineSlot: (0, [0])
            case .second: (0, [1])
            case .firstByTwo: (0, [0, 1])
            case .rotated: (1, [0])
            case .rotatedToSecond: (1, [1])
            }
        }

        /// The data key that its code is valid under.
        var sealedBy: Int? {
            switch self {
            case .plain, .tampered, .withoutCode, .forged, .forgedWithGenuineSlot: nil
            case .first, .second, .firstByTwo, .unknownSlots, .unknownAndFirst, .noSlots: 0
            case .rotated, .rotatedToSecond: 1
            }
        }

        var isUsable: Bool { self != .unknownSlots && self != .noSlots }
    }

    private func make(_ kind: Kind, _ serial: UInt64) throws -> ManifestCandidate {
        switch kind {
        case .plain: return Self.plain(serial)
        case .forged:
            var copy = forged
            copy.serial = serial
            return copy
        case .forgedWithGenuineSlot: return try Self.copy(serial, [slots[0][0]], sealedBy: DataKey())
        case .tampered: return try Self.copy(serial, [slots[0][0]], sealedBy: dataKeys[0], tampered: true)
        case .withoutCode: return try Self.copy(serial, [slots[0][0]], sealedBy: nil)
        case .unknownSlots: return try Self.copy(serial, [Self.unknown], sealedBy: dataKeys[0])
        case .unknownAndFirst: return try Self.copy(serial, [Self.unknown, slots[0][0]], sealedBy: dataKeys[0])
        case .noSlots: return try Self.copy(serial, [], sealedBy: dataKeys[0])
        case .first, .second, .firstByTwo, .rotated, .rotatedToSecond:
            let opens = kind.opens!
            return try Self.copy(
                serial,
                opens.users.map { slots[opens.dataKey][$0] },
                sealedBy: dataKeys[opens.dataKey]
            )
        }
    }

    private enum Outcome: Equatable {
        case opens(Int, dataKey: Int?)
        case refused(StorageError.Code)
    }

    /// The rules, given what each copy is.
    private func expected(_ copies: [(kind: Kind, serial: UInt64)], user: Int?) -> Outcome {
        let order = copies.indices.sorted { (copies[$1].serial, $0) < (copies[$0].serial, $1) }
        let encrypted = order.filter { copies[$0].kind != .plain }
        if encrypted.isEmpty { return user == nil ? .opens(order[0], dataKey: nil) : .refused(.badParameter) }
        guard let user else { return .refused(.unauthorized) }
        func opened(_ index: Int) -> Int? {
            copies[index].kind.opens.flatMap { $0.users.contains(user) ? $0.dataKey : nil }
        }
        let found = Set(encrypted.compactMap(opened))
        if found.isEmpty {
            let isOfNewer = encrypted.allSatisfy { !copies[$0].kind.isUsable }
            return .refused(isOfNewer ? .unsupportedFormat : .unauthorized)
        }
        for index in encrypted {
            guard let sealedBy = copies[index].kind.sealedBy, found.contains(sealedBy) else { continue }
            if !copies[index].kind.isUsable { return .refused(.unsupportedFormat) }
            return opened(index) == sealedBy ? .opens(index, dataKey: sealedBy) : .refused(.unauthorized)
        }
        return .refused(.corrupt)
    }

    @Test func allPairsOfCopies() throws {
        var outcomes: [String: Int] = [:]
        func compare(_ copies: [(kind: Kind, serial: UInt64)]) throws {
            let candidates = try copies.map { try make($0.kind, $0.serial) }
            for user in [nil, 0, 1, 2] {
                let derivations = user.map { SlotDerivations(key: users[$0]) }
                let expected = expected(copies, user: user)
                let found: Outcome
                do throws(StorageError) {
                    let choice = try ManifestChoice(of: candidates, with: derivations)
                    found = .opens(choice.index, dataKey: choice.dataKey.map { dataKeys.firstIndex(of: $0) ?? -1 })
                } catch {
                    found = .refused(error.code)
                }
                #expect(found == expected, "\(copies), user \(user as Any)")
                // No key, or a key for plain copies, is refused at once; otherwise everything has been derived by then.
                if user != nil, copies.contains(where: { $0.kind != .plain }) {
                    #expect(ManifestChoice.isDerived(candidates, with: derivations))
                }
                outcomes["\(found)", default: 0] += 1
            }
        }
        for kind in Kind.allCases {
            try compare([(kind, 5)])
            for other in Kind.allCases {
                for serials in [(5, 6), (6, 5), (5, 5), (.max, 0)] as [(UInt64, UInt64)] {
                    try compare([(kind, serials.0), (other, serials.1)])
                }
            }
        }
        #expect(outcomes.count == 10, "\(outcomes)")
    }

    // MARK: Scenarios

    /// Somebody who can write to the folder replaces a copy by a plain one of higher serial, with a valid checksum.
    @Test func aForgedPlainCopyDoesNotCount() throws {
        let genuine = try Self.copy(7, [slots[0][0]], sealedBy: dataKeys[0])
        for candidates in [[Self.plain(8), genuine], [genuine, Self.plain(8)]] {
            let choice = try choose(candidates, users[0])
            #expect(candidates[choice.index].isEncrypted && choice.dataKey == dataKeys[0])
            #expect(refusal(candidates, nil)?.code == .unauthorized)
        }
    }

    /// The second copy could not be written when the passphrase was changed. The old passphrase opens that copy, which
    /// is older.
    @Test func anOldCopyDoesNotBringBackAPassphraseThatWasChanged() throws {
        let now = try Self.copy(8, [slots[0][1]], sealedBy: dataKeys[0])
        let before = try Self.copy(7, [slots[0][0]], sealedBy: dataKeys[0])
        for candidates in [[now, before], [before, now]] {
            let error = refusal(candidates, users[0])
            #expect(error?.code == .unauthorized)
            #expect(error?.message.contains("changed") == true)
            #expect(try candidates[choose(candidates, users[1]).index].serial == 8)
        }
    }

    /// Between the two writes of a rotation each key opens its own copy.
    @Test func bothDataKeysOpenBetweenTheWritesOfARotation() throws {
        let rotated = try Self.copy(8, [slots[1][1]], sealedBy: dataKeys[1])
        let before = try Self.copy(7, [slots[0][0]], sealedBy: dataKeys[0])
        let old = try choose([rotated, before], users[0])
        #expect(old.index == 1 && old.dataKey == dataKeys[0])
        let new = try choose([rotated, before], users[1])
        #expect(new.index == 0 && new.dataKey == dataKeys[1])
    }

    /// A rotation that keeps the user's key: it opens both copies, and the newer one is used.
    @Test func theNewerDataKeyCountsWhereOneKeyOpensBoth() throws {
        let rotated = try Self.copy(8, [slots[1][0]], sealedBy: dataKeys[1])
        let before = try Self.copy(7, [slots[0][0]], sealedBy: dataKeys[0])
        let choice = try choose([before, rotated], users[0])
        #expect(choice.index == 1 && choice.dataKey == dataKeys[1])
    }

    /// A key may be right for a slot that only newer versions know: the refusal should say so.
    @Test func aRefusalTellsOfSlotsThatWereNotTried() throws {
        let copy = try Self.copy(8, [Self.unknown, slots[0][0]], sealedBy: dataKeys[0])
        #expect(refusal([copy], users[1])?.message.contains("not tried (1)") == true)
        let known = try Self.copy(8, [slots[0][0]], sealedBy: dataKeys[0])
        #expect(refusal([known], users[1])?.message.contains("not tried") == false)
    }

    /// A wrong key is never reported as damage, whatever else is wrong.
    @Test func aWrongKeyIsNeverCalledDamage() throws {
        let copies = try [
            Self.copy(8, [slots[0][0]], sealedBy: dataKeys[0], tampered: true),
            Self.copy(7, [slots[0][0]], sealedBy: nil),
        ]
        #expect(refusal(copies, users[2])?.code == .unauthorized)
        #expect(refusal(copies, users[0])?.code == .corrupt)
    }

    /// A copy of another database with the same data key, put in place of one of this database's copies with its code.
    @Test func theCodeIsBoundToTheDatabase() throws {
        var other = try Self.copy(9, [slots[0][0]], sealedBy: dataKeys[0])
        other.databaseUUID = "b"
        let own = try Self.copy(8, [slots[0][0]], sealedBy: dataKeys[0])
        #expect(try choose([other, own], users[0]).index == 1)
    }

    /// A copy of another database that the same key opens is authentic by itself. The data shows which of the two
    /// belongs to the folder.
    @Test func theDataDecidesBetweenTwoDatabases() throws {
        var other = try Self.copy(9, [slots[1][0]], sealedBy: dataKeys[1], of: "b")
        let own = try Self.copy(8, [slots[0][0]], sealedBy: dataKeys[0])
        let derivations = SlotDerivations(key: users[0])
        for candidates in [[other, own], [own, other]] {
            let mine = candidates.firstIndex { $0.databaseUUID == "a" }!
            let choice = try ManifestChoice(
                of: candidates,
                with: derivations,
                fits: { (index, key) throws(StorageError) in
                    #expect(key == dataKeys[index == mine ? 0 : 1])
                    return index == mine
                }
            )
            #expect(choice.index == mine && choice.rejected == [1 - mine])
            // A replacement that was interrupted: both are intact, and the newer one is used.
            let both = try ManifestChoice(of: candidates, with: derivations)
            #expect(both.index == 1 - mine && both.rejected == [])
            // The data is damaged.
            let none = try ManifestChoice(
                of: candidates,
                with: derivations,
                fits: { (_, _) throws(StorageError) in false }
            )
            #expect(none.index == 1 - mine && none.rejected == [])
        }
        // For a single database the data is not checked.
        other = try Self.copy(7, [slots[0][0]], sealedBy: dataKeys[0])
        let choice = try ManifestChoice(
            of: [other, own],
            with: derivations,
            fits: { (_, _) throws(StorageError) in throw StorageError(.unexpected, "asked") }
        )
        #expect(choice.index == 1 && choice.rejected == [])
    }

    /// Only authentic copies are checked against the data.
    @Test func whatIsNotAuthenticIsNotJudged() throws {
        let own = try Self.copy(7, [slots[0][0]], sealedBy: dataKeys[0])
        let tampered = try Self.copy(9, [slots[0][0]], sealedBy: dataKeys[0], tampered: true)
        for other in [tampered, forged, Self.plain(9)] {
            let choice = try ManifestChoice(
                of: [other, own],
                with: SlotDerivations(key: users[0]),
                usable: { (indices) throws(StorageError) in
                    #expect(indices == [1])
                    return indices
                }
            )
            #expect(choice.index == 1 && choice.rejected == [0])
        }
    }

    @Test func slotsWithoutTheirMemberAreEncryptedToo() throws {
        let copy = ManifestCandidate(
            serial: 1,
            isEncrypted: false,
            keySlots: KeySlots([slots[0][0]]),
            databaseUUID: "a",
            sealedText: [],
            code: nil
        )
        #expect(refusal([copy], nil)?.code == .unauthorized)
    }

    @Test func noCopyIsDamage() throws {
        #expect(refusal([], nil)?.code == .corrupt)
        #expect(refusal([], users[0])?.code == .badParameter)
    }

    @Test func whatIsNotDerivedIsTold() throws {
        let first = try Self.copy(8, [slots[0][0]], sealedBy: dataKeys[0])
        let derivations = SlotDerivations(key: users[0])
        #expect(!ManifestChoice.isDerived([first], with: derivations))
        _ = try ManifestChoice(of: [first], with: derivations)
        #expect(ManifestChoice.isDerived([first, first, Self.plain(9)], with: derivations))
        let second = try Self.copy(9, [slots[0][1]], sealedBy: dataKeys[0])
        #expect(!ManifestChoice.isDerived([first, second], with: derivations))
        #expect(ManifestChoice.isDerived([first, second], with: nil))
        #expect(ManifestChoice.isDerived([Self.plain(1)], with: SlotDerivations(key: users[0])))
    }
}
