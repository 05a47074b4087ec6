import Foundation
import StorageProtocol
import Testing

@Suite("The texts of errors")
struct ErrorTextTests {
    /// An underlying error may be of a foreign type.
    struct Underneath: Error, CustomStringConvertible {
        var description: String { "the cable is out" }
    }

    @Test("localizedDescription is the message, even through any Error")
    func message() {
        let error = StorageError(.conflict, "The parent is not current. Read the document again.")
        let any: any Error = error
        #expect(any.localizedDescription == error.message)
        #expect(error.localizedDescription == error.message)
        #expect((any as? any LocalizedError)?.errorDescription == error.message)
    }

    @Test("The reason is the description of the underlying error")
    func reason() {
        #expect(StorageError(.notFound, "Nothing is there.").failureReason == nil)
        #expect(StorageError(.storage, "It failed.", cause: Underneath()).failureReason == "the cable is out")
        let inner = StorageError(.full, "The disk is full.")
        #expect(StorageError(.storage, "It failed.", cause: inner).failureReason == "The disk is full.")
    }

    @Test("There is a suggestion if the code implies what to do")
    func suggestion() {
        #expect(StorageError(.busy, "Another program holds the file.").recoverySuggestion != nil)
        #expect(StorageError(.conflict, "Overtaken.").recoverySuggestion != nil)
        #expect(StorageError(.badJSON, "No JSON.").recoverySuggestion == nil)
    }
}
