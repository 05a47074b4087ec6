import Foundation
import StorageProtocol

/// Longer runs, if SETTEE_STRESS is set.
let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

/// 32 bytes that begin with `first` and grow by one.
func rawKey(_ first: UInt8) throws -> StorageKey {
    let bytes = (0..<32).map { first &+ $0 }
    return try StorageKey(bytes: bytes.span.bytes)
}

func bytes(of key: StorageKey) -> [UInt8] {
    key.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
