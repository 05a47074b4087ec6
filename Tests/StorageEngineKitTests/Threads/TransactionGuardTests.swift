internal import Foundation
internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

@Suite
struct TransactionGuardTests {
    private final class Count {
        var value = 0
    }

    private let gate = WriterGate()
    private let endings = Count()

    private func makeGuard(isWriter: Bool = true) -> TransactionGuard {
        TransactionGuard(gate, isWriter: isWriter) { [endings] in endings.value += 1 }
    }

    private func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
        do throws(StorageError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("it ends once, and every check after that is notOpen (503)")
    func ends() {
        let transaction = makeGuard()
        #expect(code { () throws(StorageError) in try transaction.checkWrite() } == nil)
        transaction.end()
        transaction.end()
        #expect(code { () throws(StorageError) in try transaction.check() } == .notOpen)
        #expect(endings.value == 1)
    }

    @Test("releasing it ends it")
    func endsWhenLetGo() {
        _ = makeGuard()
        #expect(endings.value == 1)
    }

    @Test("a closed gate ends every check")
    func knowsTheGate() {
        let transaction = makeGuard()
        gate.close()
        #expect(code { () throws(StorageError) in try transaction.check() } == .notOpen)
    }

    @Test("another thread is refused (593), and cannot end it")
    func knowsItsThread() {
        let transaction = makeGuard()
        nonisolated(unsafe) let shared = transaction
        nonisolated(unsafe) var found: StorageError.Code?
        let done = DispatchSemaphore(value: 0)
        Thread {
            do throws(StorageError) { try shared.check() } catch { found = error.code }
            shared.end()
            done.signal()
        }.start()
        done.wait()
        #expect(found == .callback)
        #expect(code { () throws(StorageError) in try transaction.check() } == nil)
        #expect(endings.value == 0)
    }

    @Test("inside a closure reads go on and writes are refused (593), at any depth")
    func refusesWritesInClosures() throws {
        let transaction = makeGuard()
        func look() -> [StorageError.Code?] {
            [
                code { () throws(StorageError) in try transaction.check() },
                code { () throws(StorageError) in try transaction.checkWrite() },
            ]
        }
        try transaction.hand { () throws(StorageError) in
            #expect(look() == [nil, .callback])
            try transaction.hand { () throws(StorageError) in #expect(look() == [nil, .callback]) }
            #expect(look() == [nil, .callback])
        }
        #expect(look() == [nil, nil])
        _ = code { () throws(StorageError) in
            try transaction.hand { () throws(StorageError) in throw StorageError(.cancelled, "Enough.") }
        }
        #expect(look() == [nil, nil])
    }

    @Test("a storage failure dooms the write transaction, a refusal does not")
    func dooms() {
        let transaction = makeGuard()
        func fail(_ failure: StorageError.Code) -> StorageError.Code? {
            code { () throws(StorageError) in
                try transaction.noting { () throws(StorageError) in throw StorageError(failure, "A fault.") }
            }
        }
        #expect(fail(.notFound) == .notFound)
        #expect(code { () throws(StorageError) in try transaction.checkWrite() } == nil)
        #expect(fail(.full) == .full)
        #expect(code { () throws(StorageError) in try transaction.check() } == .full)
    }

    @Test("a snapshot is not doomed")
    func spareSnapshots() {
        let transaction = makeGuard(isWriter: false)
        let found = code { () throws(StorageError) in
            try transaction.noting { () throws(StorageError) in throw StorageError.corrupt("A record is damaged") }
        }
        #expect(found == .corrupt)
        #expect(code { () throws(StorageError) in try transaction.check() } == nil)
    }

    @Test("a caller's error does not doom, whatever its code; a later error of the engine does")
    func tellsWhoseErrorItIs() {
        let transaction = makeGuard()
        func list(_ closure: () throws(StorageError) -> Void) -> StorageError.Code? {
            code { () throws(StorageError) in
                try transaction.noting { () throws(StorageError) in try transaction.hand(closure) }
            }
        }
        #expect(list { () throws(StorageError) in throw StorageError(.storage, "The caller's.") } == .storage)
        #expect(transaction.fault == nil)
        // A caller that swallows its own error, and an engine that fails after that inside the same closure.
        let found = list { () throws(StorageError) in
            _ = list { () throws(StorageError) in throw StorageError(.storage, "The caller's.") }
            try transaction.noting { () throws(StorageError) in throw StorageError(.full, "The engine's.") }
        }
        #expect(found == .full)
        #expect(transaction.fault?.code == .full)
    }

    @Test("what is lent to a closure stays valid until it returns, even if it ends the transaction")
    func endsAfterItsClosures() {
        let transaction = makeGuard()
        let found = code { () throws(StorageError) in
            try transaction.hand { () throws(StorageError) in
                transaction.end()
                #expect(endings.value == 0)
                #expect(code { () throws(StorageError) in try transaction.check() } == .notOpen)
            }
        }
        #expect(found == .notOpen)
        #expect(endings.value == 1)
    }
}
