internal import Crypto
internal import StorageProtocol

/// Remembers for a minute which passwords were right, so that scrypt does not run for each request. Holds HMACs with a
/// random key, at most 1,000 of them.
final class PasswordMemory: Sendable {
    /// Stands for a name, a password, and what the password was compared with.
    typealias Tag = [UInt8]

    private struct Entry {
        let roles: [String]
        let end: Duration
    }

    static let most = 1_000
    static let time = Duration.seconds(60)

    private let key = SymmetricKey(size: .bits256)
    private let entries = Locked<[Tag: Entry]>([:])
    private let uptime: @Sendable () -> Duration

    init(uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    var count: Int { entries.withLock { $0.count } }

    func tag(_ name: String, _ password: String, _ proof: [UInt8]) -> Tag {
        var code = HMAC<SHA256>(key: key)
        for part in [Array(name.utf8), Array(password.utf8), proof] {
            code.update(data: (0..<8).map { UInt8(truncatingIfNeeded: part.count >> ($0 * 8)) })
            code.update(data: part)
        }
        return Array(code.finalize())
    }

    /// Returns the roles that came with a right password, nil if none is remembered.
    func roles(_ tag: Tag) -> [String]? {
        let now = uptime()
        return entries.withLock { entries in
            guard let entry = entries[tag], now < entry.end else { return nil }
            return entry.roles
        }
    }

    /// - Complexity: O(1); O(entries) if there are as many as there may be.
    func remember(_ tag: Tag, roles: [String]) {
        let now = uptime()
        entries.withLock { entries in
            if entries.count >= PasswordMemory.most, entries[tag] == nil {
                entries = entries.filter { now < $0.value.end }
                if entries.count >= PasswordMemory.most, let first = entries.min(by: { $0.value.end < $1.value.end }) {
                    entries[first.key] = nil
                }
            }
            entries[tag] = Entry(roles: roles, end: now + PasswordMemory.time)
        }
    }
}
