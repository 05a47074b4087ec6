public import Foundation
public import SetteeDocumentValues
internal import StorageProtocol

extension JSONSchema {
    /// Reads a schema from a file.
    ///
    /// References in it are relative to the file, unless it has an `id`. The documents they refer to must still be
    /// among `documents`.
    ///
    /// - Throws: `Fault`, also if the file cannot be read or is over 32 MiB, or `url` is not a file URL; otherwise like
    ///   the initializer with a value.
    public init(
        contentsOf url: URL,
        documents: [String: JSONValue] = [:],
        checksFormats: Bool = true
    ) throws(Fault) {
        let location = url.absoluteString + "#"
        guard url.isFileURL else {
            throw Fault(location: location, message: "only files are read. Fetch the schema, and give its text.")
        }
        var text = Data()
        do {
            let file = try FileHandle(forReadingFrom: url)
            defer { try? file.close() }
            // One more byte shows that it is too long.
            while text.count <= JSONLimits.documentLength,
                let piece = try file.read(upToCount: JSONLimits.documentLength + 1 - text.count), !piece.isEmpty
            {
                text += piece
            }
        } catch {
            throw Fault(location: location, message: "the file could not be read: \(error.localizedDescription)")
        }
        try self.init(
            parsing: Array(text),
            uri: url.absoluteString,
            documents: documents,
            checksFormats: checksFormats
        )
    }
}
