/// One of the sealed parts of a file. Each has a nonce that no other part of the file has.
enum BlobPart: Equatable {
    case chunk(UInt64, isLast: Bool)
    case trailer

    /// Seven zeros, the number in four bytes, and a flag.
    var nonce: [UInt8] {
        var nonce = [UInt8](repeating: 0, count: 12)
        switch self {
        case .chunk(let number, let isLast):
            let number = UInt32(number)
            for place in 0..<4 { nonce[7 + place] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * place)) }
            nonce[11] = isLast ? 1 : 0
        case .trailer: nonce[11] = 2
        }
        return nonce
    }
}
