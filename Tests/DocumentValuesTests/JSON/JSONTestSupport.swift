internal import Foundation
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

/// The canonical form of a text.
func canonical(_ text: String) throws -> String { try canonical(Array(text.utf8)) }

func canonical(_ text: [UInt8]) throws -> String {
    var parser = JSONParser()
    try unsafe parser.parse(text.span.bytes)
    let root = parser.root
    var bytes: [UInt8] = []
    parser.writeCanonical(try #require(root), into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

/// The code of the error that `body` throws, nil if it throws none.
func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
        try body()
        return nil
    } catch let error as StorageError {
        return error.code
    } catch {
        return .unexpected
    }
}

/// Longer runs, if SETTEE_STRESS is set.
let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
