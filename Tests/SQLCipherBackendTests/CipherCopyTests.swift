internal import Foundation
internal import SetteeSQLCipher
internal import StorageProtocol
internal import Testing

/// A copy has the key that it is given, whatever options the source was opened with.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct CipherCopyTests {
    enum Source: CaseIterable { case written, readOnly, immutable, writtenElsewhere }

    @Test(arguments: Source.allCases, [false, true])
    func aCopyHasItsKey(source: Source, isOther: Bool) throws {
        let store = try CipherStore()
        var engine = try store.open()
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<300 {
                try tx.insert(name(number), body(number, length: number * 40))
                try tx.setExpiration(Int64(300 - number), of: DocumentID(name(number)))
            }
        }
        let content = try engine.everything()
        let writer = source == .writtenElsewhere ? engine : nil
        defer { writer?.close() }
        if source != .written && writer == nil { engine.close() }
        if source != .written { engine = try store.open(readOnly: true, immutable: source == .immutable) }
        let live = try writer?.beginWrite()
        try live?.insert("later", body(1, length: 10))
        let copy = try CipherStore(key: isOther ? 0x77 : CipherStore.keyByte)
        let options = StorageCopyOptions(key: isOther ? .other(copy.key) : .same)
        try engine.copy(toDirectory: copy.directory, options: options) { (_, _) throws(StorageError) in }
        live?.rollback()
        engine.close()
        let copied = try copy.open()
        #expect(try copied.everything() == content)
        #expect(try copied.problems() == [])
        // The copy can be written to, and copied in turn.
        try copied.write { (tx) throws(StorageError) in try tx.insert("new", body(1, length: 10)) }
        let again = try CipherStore(key: 0x11)
        try copied.copy(toDirectory: again.directory, options: StorageCopyOptions(key: .other(again.key))) {
            (_, _) throws(StorageError) in
        }
        copied.close()
        let second = try again.open()
        #expect(try second.everything().count > content.count)
        second.close()
        if isOther {
            let old = StorageOptions(key: store.key)
            let found = code { try SQLCipherEngineFactory().open(directory: copy.directory, options: old).close() }
            #expect(found == .unauthorized)
        }
    }

    /// A copy is never plain by accident.
    @Test func noCopyIsPlain() throws {
        let store = try CipherStore()
        let engine = try store.open()
        defer { engine.close() }
        let copy = try CipherStore()
        let found = code {
            try engine.copy(toDirectory: copy.directory, options: StorageCopyOptions(key: .none)) {
                (_, _) throws(StorageError) in
            }
        }
        #expect(found == .notImplemented)
        let passphrase = try StorageKey(passphrase: "secret")
        let refused = code {
            try engine.copy(toDirectory: copy.directory, options: StorageCopyOptions(key: .other(passphrase))) {
                (_, _) throws(StorageError) in
            }
        }
        #expect(refused == .badParameter)
        #expect(try copy.files.isEmpty)
    }
}
