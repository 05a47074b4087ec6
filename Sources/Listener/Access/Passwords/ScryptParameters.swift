/// What one scrypt costs (RFC 7914): 128 x `rounds` x `blockSize` bytes of memory, and time in proportion to the
/// product of all three.
struct ScryptParameters: Sendable, Equatable {
    /// N.
    let rounds: Int
    /// r.
    let blockSize: Int
    /// p: runs one after the other, in the same memory.
    let parallelism: Int

    /// For new entries: 16 MiB.
    static let standard = ScryptParameters(trusted: 1 << 14, 8, 5)
    /// The least that a file may have.
    static let least = ScryptParameters(trusted: 1 << 10, 8, 1)

    private init(trusted rounds: Int, _ blockSize: Int, _ parallelism: Int) {
        self.rounds = rounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Checks what a file says. Nil outside of the limits: N a power of two from 1,024 to 131,072, r 1 to 16, p 1 to
    /// 16, at most 64 MiB of memory, and at most sixteen times the time of the least that takes 16 MiB.
    init?(rounds: Int64, blockSize: Int64, parallelism: Int64) {
        guard 1 << 10...1 << 17 ~= rounds, rounds & (rounds - 1) == 0, 1...16 ~= blockSize, 1...16 ~= parallelism,
            128 * rounds * blockSize <= 64 << 20, rounds * blockSize * parallelism <= 1 << 21,
            // N < 2^(128 * r / 8), without which the function is not defined.
            blockSize > 1 || rounds < 1 << 16
        else { return nil }
        self.init(trusted: Int(rounds), Int(blockSize), Int(parallelism))
    }

    /// For comparing costs.
    var work: Int { rounds * blockSize * parallelism }
}
