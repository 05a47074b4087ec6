internal import Foundation
internal import Settee

extension DocumentSource {
    /// The most bytes of documents that are kept in memory.
    private static let mostBytes = 1 << 30

    /// Reads documents from a file with a JSON object on each line. Members whose names begin with `_` are left out:
    /// the benchmark gives IDs of its own.
    ///
    /// - Parameter count: no more documents than this are read, nor more than 1 GiB.
    /// - Throws: `badJSON` (493) for a line that is not an object, with its number, and for a file without documents;
    ///   `fileSystem` (498) for a file that cannot be read.
    public static func own(file path: String, count: Int) throws -> DocumentSource {
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
            throw StorageError(.fileSystem, "The documents '\(path)' cannot be read: \(error.localizedDescription)")
        }
        defer { try? file.close() }
        var lines: [[UInt8]] = []
        var rest: [UInt8] = []
        var (bytes, number) = (0, 0)
        func take(_ line: ArraySlice<UInt8>) throws {
            number += 1
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
            let document = try document(Array(line), number)
            bytes += document.count
            lines.append(document)
        }
        func next() throws(StorageError) -> Data {
            do { return try file.read(upToCount: 1 << 20) ?? Data() } catch {
                throw StorageError(.fileSystem, "The documents '\(path)' cannot be read. Name a file.")
            }
        }
        while lines.count < count, bytes < mostBytes {
            let piece = try next()
            if piece.isEmpty { break }
            rest += piece
            var start = rest.startIndex
            while lines.count < count, let end = rest[start...].firstIndex(of: 0x0A) {
                try take(rest[start..<end])
                start = end + 1
            }
            rest.removeSubrange(..<start)
            guard rest.count <= longestLine else {
                throw StorageError(.tooLarge, "Line \(number + 1) of the documents has more than 32 MiB.")
            }
        }
        if lines.count < count, bytes < mostBytes, !rest.isEmpty { try take(rest[...]) }
        guard !lines.isEmpty else { throw StorageError(.badJSON, "The file '\(path)' has no documents.") }
        // With their sizes, since two files of one name are not the same documents.
        let name = "'\(URL(filePath: path).lastPathComponent)' (documents: \(lines.count), bytes: \(bytes))"
        return .own(name: name, lines: lines)
    }

    private static let longestLine = 32 << 20

    private static func document(_ line: [UInt8], _ number: Int) throws -> [UInt8] {
        guard let value = try? JSONValue(parsing: line), case .object(let object) = value else {
            throw StorageError(.badJSON, "Line \(number) of the documents is not a JSON object.")
        }
        let members = object.filter { !$0.key.hasPrefix("_") }.map { ($0.key, $0.value) }
        return try JSONObject(members).canonicalBytes()
    }
}
