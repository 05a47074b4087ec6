import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// The figures of docs/internals/kv-engine.md, "Long keys". They are only meaningful in a release build:
/// `SETTEE_KEY_FIGURES=1 swift test -c release --filter LongKeyFigures`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SETTEE_KEY_FIGURES"] != nil))
struct LongKeyFigures {
    @Test func costOfLongKeys() throws {
        print("| key | | put | get | next | bytes in the file |\n|---|---|---|---|---|---|")
        for length in [20, 480, 481, 4_096, 65_536, 1 << 20] {
            for isShared in [false, true] { print(try line(length, isShared: isShared)) }
        }
    }

    /// Microseconds for each key: of random bytes, or keys that only differ in the last four bytes.
    private func line(_ length: Int, isShared: Bool) throws -> String {
        let folder = try TestFolder()
        let store = try folder.open(mapSize: 1 << 34)
        defer { store.close() }
        let count = max(20, min(20_000, 40_000_000 / length))
        var random = SeededGenerator(seed: UInt64(length))
        let stem = bytes(length - 4, &random)
        let keys = (0..<count).map { number in
            (isShared ? stem : bytes(length - 4, &random)) + withUnsafeBytes(of: UInt32(number).bigEndian, Array.init)
        }
        let value = [UInt8](repeating: 1, count: 100)
        let nodes = CountedNodes()
        let put = try time(count) {
            try store.write { (transaction) throws(StorageError) in
                let table = LongKeyTable(.documents, in: transaction)
                for key in keys { try table.put(key, value, .insert, nodes) }
            }
        }
        let transaction = try store.beginRead()
        defer { transaction.end() }
        let table = LongKeyTable(.documents, in: transaction)
        let get = try time(count) {
            for key in keys {
                let length = try key.withRawBytes { (key) throws(StorageError) in
                    try table.withValue(of: key) { (value) throws(StorageError) in value?.count }
                }
                if length != value.count { throw StorageError(.unexpected, "A key was not found.") }
            }
        }
        let next = try time(count) {
            let cursor = try table.cursor()
            defer { cursor.close() }
            var found = 0
            var isThere = try cursor.seek(.first)
            while isThere {
                found += cursor.key.count == length ? 1 : 0
                isThere = try cursor.next()
            }
            if found != count { throw StorageError(.unexpected, "A walk lost keys.") }
        }
        let size = (try FileManager.default.attributesOfItem(atPath: folder.dataFile)[.size] as? Int ?? 0) / count
        let kind = isShared ? "common prefix" : "random"
        return "| \(length) | \(kind) | \(put) µs | \(get) µs | \(next) µs | \(size) |"
    }

    private func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    private func time(_ count: Int, _ body: () throws -> Void) rethrows -> String {
        let start = ContinuousClock.now
        try body()
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        return String(format: "%.2f", microseconds / Double(count))
    }
}
