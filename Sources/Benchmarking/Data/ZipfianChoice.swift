internal import Foundation

/// Chooses documents by a scrambled Zipfian distribution with the exponent 0.99, as YCSB does: ranks among ten thousand
/// million items by Gray and others, "Quickly generating billion-record synthetic databases" (SIGMOD 1994), spread over
/// the documents by a hash, so that a few are asked for often and lie anywhere. The plain C programs choose the same
/// documents (Benchmarks/baseline/zipfian.h).
struct ZipfianChoice {
    private static let theta = 0.99
    private static let items = 1e10
    /// The sum of 1 / i^theta over all items.
    private static let zeta = 26.46902820178302
    private static let two = 1 + pow(0.5, theta)
    private static let alpha = 1 / (1 - theta)
    private static let eta = (1 - pow(2 / items, 1 - theta)) / (1 - two / zeta)

    private let documents: UInt64

    init(documents: Int) { self.documents = UInt64(documents) }

    /// Returns the document, from 0, of read number `turn`.
    func document(_ turn: Int) -> Int {
        let part = unitInterval(People.mix(~UInt64(turn) ^ 0x5A49_5046_0000_0000))
        return Int(People.mix(ZipfianChoice.rank(part)) % documents)
    }

    private static func rank(_ part: Double) -> UInt64 {
        let scaled = part * zeta
        if scaled < 1 { return 0 }
        if scaled < two { return 1 }
        return UInt64(items * pow(eta * part - eta + 1, alpha))
    }
}

/// Returns the number from 0 to below 1 that the upper 53 bits make.
func unitInterval(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }
