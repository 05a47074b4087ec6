import StorageProtocol

@testable import SetteeKV

/// The entries of a table, in the order of their keys.
struct SortedTable: Sendable {
    var entries: [(key: [UInt8], value: [UInt8])] = []

    func place(of key: UnsafeRawBufferPointer) -> (index: Int, isFound: Bool) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key.withUnsafeBytes({ compareBytes($0.bytes, key.bytes) }) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return (low, low < entries.count && entries[low].key.elementsEqual(key))
    }

    func places(in range: ByteRange) -> Range<Int> {
        func place(_ key: [UInt8], isBehind: Bool) -> Int {
            let place = key.withUnsafeBytes { self.place(of: $0) }
            return place.index + (place.isFound && isBehind ? 1 : 0)
        }
        let lower =
            switch range.lower {
            case .open: 0
            case .including(let key): place(key, isBehind: false)
            case .excluding(let key): place(key, isBehind: true)
            }
        let upper =
            switch range.upper {
            case .open: entries.count
            case .including(let key): place(key, isBehind: true)
            case .excluding(let key): place(key, isBehind: false)
            }
        return lower..<max(lower, upper)
    }
}

typealias SortedTables = [SortedTable]

extension SortedTables {
    static var empty: SortedTables { SortedTables(repeating: SortedTable(), count: Table.allCases.count) }
}

/// Memory that is overwritten before it is freed, so that late use is noticed.
final class LentBytes {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        self.bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
        let memory = UnsafeMutableRawBufferPointer(mutating: bytes)
        memory.initializeMemory(as: UInt8.self, repeating: 0xDD)
        memory.deallocate()
    }
}
