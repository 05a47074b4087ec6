public import Foundation

extension BenchmarkFile {
    /// The most bytes that are read: thousands of results with their rounds have less.
    public static let longest = 64 << 20

    /// The file's bytes, with members in the order of their names and without a line feed at the end.
    ///
    /// - Throws: an `EncodingError` if a figure is not finite.
    public func json(onOneLine: Bool = false) throws -> Data { try Data(json: self, onOneLine: onOneLine) }

    /// Reads what `json` has written, or a program of a like mind. Takes time in proportion to the number of bytes.
    public init(json: Data) throws(BenchmarkFileError) {
        guard json.count <= BenchmarkFile.longest else {
            throw .notOfTheForm("it has more than \(BenchmarkFile.longest) bytes")
        }
        // First, since a later format may have changed all the rest.
        let format = try BenchmarkFile.decode(Header.self, json).format
        guard format >= 1 else { throw .notOfTheForm("format is not a number above 0") }
        guard format <= BenchmarkFile.format else { throw .laterFormat(format) }
        self = try BenchmarkFile.decode(BenchmarkFile.self, json)
        try check()
    }

    private struct Header: Decodable {
        var format: Int
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ json: Data) throws(BenchmarkFileError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch DecodingError.keyNotFound(let key, let context) {
            throw .notOfTheForm("\(path(context.codingPath + [key])) is missing")
        } catch DecodingError.valueNotFound(_, let context) {
            throw .notOfTheForm("\(path(context.codingPath)) is null")
        } catch DecodingError.typeMismatch(_, let context) {
            throw .notOfTheForm("\(path(context.codingPath)) has a value of another type")
        } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
            throw .notOfTheForm("\(path(context.codingPath)) has a value that cannot be read")
        } catch {
            throw .notOfTheForm("it is not JSON, or has a number out of range")
        }
    }

    /// `results[3].rounds[0].opsPerSecond`. The names of libraries are the file's own, and left out.
    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
            if key.stringValue == "libraries" { break }
        }
        return path.isEmpty ? "the whole" : path
    }
}

extension Data {
    /// The one form in which this module writes JSON.
    init(json value: some Encodable, onOneLine: Bool) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
        self = try encoder.encode(value)
    }
}
