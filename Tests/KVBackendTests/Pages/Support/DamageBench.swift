import Foundation
import StorageProtocol

@testable import SetteeKV

/// Damaged copies of a file: what the page reader reports about them, and what LMDB does with those that it accepts.
final class DamageBench {
    enum Reader {
        case quick
        case whole
    }

    let original: [UInt8]
    let content: String
    private let folder: PageFolder
    private var passed: [(name: String, path: String)] = []
    private var read: [(name: String, line: String?)] = []
    private(set) var tried = 0
    private(set) var found: Set<String> = []

    /// - Parameter original: a sound file.
    init(_ original: [UInt8]) throws {
        folder = try PageFolder()
        self.original = original
        try folder.replace(original)
        content = try PageProbe.read([folder.path])[0] ?? "killed"
    }

    /// A file with random content, and some pages free.
    static func file(seed: UInt64, steps: Int = 15, operations: Int = 40) throws -> [UInt8] {
        let folder = try PageFolder()
        try folder.open()
        var history = PageHistory(seed: seed, largestValue: 9_000)
        for _ in 0..<steps { try history.step(folder, operations: operations) }
        history.end()
        folder.close()
        return try folder.bytes
    }

    /// Runs the page reader on a file. A file that it accepts is kept for LMDB.
    func look(_ name: String, _ bytes: [UInt8], _ reader: Reader) throws {
        tried += 1
        let path = folder.directory + "/\(tried).mdb"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        if try isFound(path, reader) {
            found.insert(name)
            try FileManager.default.removeItem(atPath: path)
        } else {
            passed.append((name, path))
            if passed.count == 50 { try readPassed() }
        }
    }

    private func isFound(_ path: String, _ reader: Reader) throws -> Bool {
        do throws(StorageError) {
            try QuickCheck.run(path: path)
        } catch {
            guard error.code == .corrupt || error.code == .unsupportedFormat else { throw error }
            return true
        }
        return try reader == .whole && !PageFolder.walk(path).isEmpty
    }

    /// What LMDB reads in the accepted files: nil if it was killed.
    func readings() throws -> [(name: String, line: String?)] {
        try readPassed()
        return read
    }

    private func readPassed() throws {
        for (file, line) in zip(passed, try PageProbe.read(passed.map(\.path))) {
            read.append((file.name, line))
            try FileManager.default.removeItem(atPath: file.path)
        }
        passed = []
    }
}
