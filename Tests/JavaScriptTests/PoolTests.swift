internal import Foundation
internal import SetteeJavaScript
internal import SetteeSystemLibrary
internal import Synchronization
internal import Testing

@Suite struct PoolTests {
    private let source = function("doc => emit(doc.n, null)")

    @Test func threadsShareWorkers() throws {
        let pool = JavaScriptPool(JavaScriptConfiguration(workers: 3))
        let good = Atomic(0)
        let ended = Atomic(0)
        for thread in 0..<12 {
            Thread.detachNewThread { [source] in
                for round in 0..<10 {
                    let number = thread * 100 + round
                    let outcomes = try? pool.withWorker { worker throws(JavaScriptError) in
                        try worker.map([source], [bytes(#"{"n":\#(number)}"#)])
                    }
                    if outcomes?[0].map(Outcome.init) == [.rows(["\(number): null"])] {
                        good.add(1, ordering: .relaxed)
                    }
                }
                ended.add(1, ordering: .releasing)
            }
        }
        #expect(ProcessFacts.wait { ended.load(ordering: .acquiring) == 12 })
        #expect(good.load(ordering: .relaxed) == 120)
        #expect(1...3 ~= pool.count)
    }

    @Test func idleWorkersEnd() throws {
        let pool = JavaScriptPool(JavaScriptConfiguration(idleTime: .milliseconds(100)))
        for _ in 0..<3 {
            let child = try pool.withWorker { worker throws(JavaScriptError) in
                try worker.check(source)
                return worker.childIdentifier ?? 0
            }
            #expect(child > 0)
            #expect(ProcessFacts.wait { pool.count == 0 && !ProcessFacts.exists(child) })
        }
    }

    @Test func aClosedPoolRefuses() throws {
        let pool = JavaScriptPool()
        var children: [Int32] = []
        try pool.withWorker { lent throws(JavaScriptError) in
            try lent.check(source)
            try pool.withWorker { other throws(JavaScriptError) in
                try other.check(source)
                children = [lent.childIdentifier ?? 0, other.childIdentifier ?? 0]
            }
            pool.close()
            #expect(!ProcessFacts.exists(children[1]))
            // What is lent still works.
            #expect(try lent.map([source], [bytes(#"{"n":1}"#)])[0].map(Outcome.init) == [.rows(["1: null"])])
        }
        #expect(pool.count == 0)
        #expect(ProcessFacts.wait { !ProcessFacts.exists(children[0]) })
        guard case .unavailable = failure({ () throws(JavaScriptError) in try pool.withWorker { _ in } }) else {
            Issue.record("lent a worker")
            return
        }
    }

    @Test func anErrorGivesTheWorkerBack() throws {
        let pool = JavaScriptPool(JavaScriptConfiguration(workers: 1))
        for _ in 0..<3 {
            let error = failure { () throws(JavaScriptError) in
                try pool.withWorker { worker throws(JavaScriptError) in try worker.check(function("doc =>")) }
            }
            guard case .compilation = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(pool.count == 1)
    }

    /// There is one worker more for them, which others do not get.
    @Test func urgentCallsDoNotWaitForOthers() throws {
        let pool = JavaScriptPool(JavaScriptConfiguration(workers: 1))
        for _ in 0..<3 {
            let outcomes = try pool.withWorker { lent throws(JavaScriptError) in
                try lent.check(source)
                return try pool.withWorker(isUrgent: true) { other throws(JavaScriptError) in
                    try other.map([source], [bytes(#"{"n":1}"#)])
                }
            }
            #expect(outcomes[0].map(Outcome.init) == [.rows(["1: null"])])
            #expect(pool.count == 2)
        }
    }
}
