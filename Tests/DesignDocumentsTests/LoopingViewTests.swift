internal import Foundation
internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

/// A map function that meets limits again and again is not run for a while.
@Suite struct LoopingViewTests {
    private static let good: JSONObject = ["map": "doc => emit(doc.n)"]

    private func views(_ loop: String) -> JSONObject {
        ["views": ["loop": ["map": .string(loop)], "good": .object(LoopingViewTests.good)]]
    }

    @Test(arguments: Storage.all) func queriesEndAtOnce(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.put((0..<300).map { ("\($0)", ["n": .int(Int64($0))]) })
            try bed.putDesign("d", views("doc => { for (;;) {} }"))
            let pool = JavaScriptPool(JavaScriptConfiguration(timeLimit: .milliseconds(100)))
            let functions = DesignDocuments(bed.database, pool: pool)
            let view = try functions.view("loop", of: "d")
            expectError(.unexpected) { try view.query().run() }
            // Other views of the design document go on.
            #expect(try functions.view("good", of: "d").query().run().count == 300)
            // Without workers: the function is not run.
            pool.close()
            let began = ContinuousClock.now
            for number in 0..<20 {
                try bed.database["new \(number)"].put([:])
                expectError(.unexpected) { try functions.view("loop", of: "d").query().run() }
            }
            #expect(ContinuousClock.now - began < .seconds(5))
            #expect(try view.query(update: .never).run().count == 0)
            // The check at the end would run the function.
            try view.delete()
        }
    }

    @Test func aChangedFunctionIsRun() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database.put((0..<50).map { ("\($0)", ["n": .int(Int64($0))]) })
            try bed.putView("doc => { for (;;) {} }")
            let functions = bed.functions(time: .milliseconds(50))
            expectError(.unexpected) { try functions.view("v", of: "d").query().run() }
            try bed.putView("doc => emit(doc.n)")
            #expect(try functions.view("v", of: "d").query().run().count == 50)
        }
    }

    /// A function that loops for few documents has an index without their rows in the end.
    @Test func documentsThatAreKnownAreNotTriedAgain() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database.put((0..<700).map { ("\($0)", ["n": .int(Int64($0))]) })
            try bed.putView("doc => { if (doc.n % 70 === 3) for (;;) {} emit(doc.n) }")
            let functions = bed.functions(time: .milliseconds(50), pause: .milliseconds(20))
            let view = try functions.view("v", of: "d")
            var rounds = 0
            while rounds < 20, (try? view.query().run()) == nil {
                rounds += 1
                Thread.sleep(forTimeInterval: 0.02 * Double(1 << min(rounds, 6)))
            }
            #expect((1...4).contains(rounds), "\(rounds)")
            #expect(try view.status()?.failedDocuments == 10)
            #expect(try view.query().run().count == 690)
            try view.delete()
        }
    }

    @Test func afterThePauseItIsRunAgain() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database.put((0..<50).map { ("\($0)", ["loops": true]) })
            try bed.putView("doc => { if (doc.loops) for (;;) {} emit(doc._id) }")
            let functions = bed.functions(time: .milliseconds(50), pause: .milliseconds(500))
            let view = try functions.view("v", of: "d")
            expectError(.unexpected) { try view.query().run() }
            for number in 0..<50 { try bed.database["\(number)"].update { $0["loops"] = false } }
            expectError(.unexpected) { try view.query().run() }
            Thread.sleep(forTimeInterval: 0.6)
            #expect(try view.query().run().count == 50)
        }
    }
}
