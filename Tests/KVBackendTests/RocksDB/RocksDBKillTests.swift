#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import SetteeSystemLibrary
import Testing

@testable import SetteeKV

/// What a killed process leaves is opened with all that was committed, whatever RocksDB's threads were at; and what is
/// then taken away from it is told.
@Suite
struct RocksDBKillTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 3 : 400

    @Test("after kills in flushes and compactions everything is there, and nothing is taken for damage")
    func survivesKills() async throws {
        let (folder, notes) = (try TestFolder(), try TestFolder())
        try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true)).close()
        let (path, note) = (folder.path, notes.path + "/acknowledged")
        var random = SeededGenerator(seed: 77)
        for round in 0..<Self.rounds {
            let pause = UInt32.random(in: 1000..<400_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, note = note as String, pause = pause as UInt32] in
                let store = try RocksDBStore(
                    directory: path,
                    options: StorageOptions(durability: .normal),
                    memory: 8 << 20
                )
                Thread.detachNewThread {
                    usleep(pause)
                    kill(getpid(), SIGKILL)
                }
                var random = SeededGenerator(seed: UInt64(pause))
                var number = try store.written()
                while true {
                    number += 1
                    try store.write(number, &random)
                    if number % 10 == 0 { try String(number).write(toFile: note, atomically: true, encoding: .utf8) }
                }
            }
            let store = try RocksDBStore(directory: path, options: StorageOptions(), memory: 8 << 20)
            #expect(store.openingProblems.isEmpty, "round \(round)")
            let acknowledged = try? String(contentsOfFile: note, encoding: .utf8)
            let written = try store.written()
            #expect(written >= acknowledged.flatMap { Int($0) } ?? 0, "round \(round)")
            #expect(try store.isWhole(upTo: written), "round \(round)")
            store.close()
        }
    }
}

extension RocksDBStore {
    /// Writes to three families, to one of them seldom, so that their flushes are at different times.
    fileprivate func write(_ number: Int, _ random: inout SeededGenerator) throws(StorageError) {
        let transaction = try beginWrite()
        let key = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        try transaction.put(key, random.bytes(10_000))
        if number % 5 == 0 { try transaction.put(key, random.bytes(20_000), in: .bodies) }
        if number % 300 == 0 { try transaction.put(key, key, in: .info) }
        try transaction.put([1], key, in: .meta)
        try transaction.commit()
    }

    fileprivate func written() throws(StorageError) -> Int {
        let snapshot = try beginRead()
        defer { snapshot.end() }
        return try [UInt8(1)].withRawBytes { (key) throws(StorageError) in
            try snapshot.withValue(of: key, in: .meta) { (value) throws(StorageError) in
                (value.map { Array($0) } ?? []).reduce(0) { $0 << 8 | Int($1) }
            }
        }
    }

    /// Whether each commit up to a number is there.
    fileprivate func isWhole(upTo last: Int) throws(StorageError) -> Bool {
        func count(_ table: Table) throws(StorageError) -> Int {
            let snapshot = try beginRead()
            defer { snapshot.end() }
            let cursor = try snapshot.cursor(table, for: .wholeTable)
            defer { cursor.close() }
            var (number, isThere) = (0, try cursor.seek(.first))
            while isThere {
                number += 1
                isThere = try cursor.next()
            }
            return number
        }
        let (documents, bodies, infos) = (try count(.documents), try count(.bodies), try count(.info))
        return documents == last && bodies == last / 5 && infos == last / 300
    }
}
#endif
