internal import StorageProtocol

extension Conformance {
    static let rewriting: [ConformanceTest] = [
        ConformanceTest("Rewriting", "an engine that does not rewrite in steps throws notImplemented (501)") {
            context in
            let engine = try context.open()
            guard engine.capabilities.compaction != .inSteps else { return }
            let directory = try context.makeDirectory()
            context.fails(.notImplemented, "there are no steps") { () throws(StorageError) in
                try engine.beginRewrite(toDirectory: directory).cancel()
            }
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
        },
        ConformanceTest("Rewriting", "the copy equals the last commit, though this process writes between the steps") {
            context in
            guard let bed = try RewriteFixture(context) else { return }
            let rewrite = try bed.begin()
            try bed.complete(rewrite) { (n) throws(StorageError) in
                try bed.change(n)
                let lost = try bed.engine.beginWrite()
                try lost.add("lost\(n)")
                lost.rollback()
            }
            try bed.change(100)
            _ = try rewrite.step(limit: .zero)
            try bed.change(101)
            try rewrite.finish()
            let copy = try bed.openAndCompare()
            try copy.write { (tx) throws(StorageError) in try tx.add("only in the copy") }
            try bed.engine.write { (tx) throws(StorageError) in try tx.add("only in the original") }
            context.equal(
                try copy.read { (tx) throws(StorageError) in try tx.stored("only in the original") },
                nil,
                "two stores from then on"
            )
        },
        ConformanceTest("Rewriting", "`finish` completes a copy of which no step was done") { context in
            for documents in [0, 300] {
                guard let bed = try RewriteFixture(context, documents: documents) else { return }
                let rewrite = try bed.begin()
                try bed.engine.write { (tx) throws(StorageError) in try tx.writeEverything("late") }
                try rewrite.finish()
                _ = try bed.openAndCompare()
            }
        },
        ConformanceTest("Rewriting", "readers and writers on other threads go on during the steps") { context in
            guard let bed = try RewriteFixture(context) else { return }
            let snapshot = try bed.engine.beginRead()
            let before = try snapshot.contents()
            let rewrite = try bed.begin()
            let writer = context.thread { () throws(StorageError) in for n in 0..<40 { try bed.change(n) } }
            let reader = context.thread { () throws(StorageError) in
                for _ in 0..<20 {
                    _ = try bed.engine.read { (tx) throws(StorageError) in try tx.contents() }
                }
            }
            try bed.complete(rewrite)
            context.expect(writer.join() && reader.join(), "nobody is locked out")
            context.equal(try snapshot.contents().difference(from: before), nil, "older snapshots stay as they are")
            snapshot.end()
            try rewrite.finish()
            _ = try bed.openAndCompare()
        },
        ConformanceTest("Rewriting", "a step pins nothing, and `cancel` leaves nothing open") { context in
            guard let bed = try RewriteFixture(context) else { return }
            let rewrite = try bed.begin()
            _ = try rewrite.step(limit: .zero)
            context.checkSound(bed.engine, "between two steps")
            rewrite.cancel()
            rewrite.cancel()
            bed.expectTheEnd(of: rewrite, "after `cancel`")
            context.checkSound(bed.engine, "after `cancel`")
            try bed.change(0)
            let next = try bed.begin()
            try bed.change(1)
            try next.finish()
            next.cancel()
            _ = try bed.openAndCompare()
        },
        ConformanceTest("Rewriting", "one rewrite at a time: another one is a callback error (593)") { context in
            guard let bed = try RewriteFixture(context) else { return }
            let rewrite = try bed.begin()
            _ = try rewrite.step(limit: .zero)
            let directory = try context.makeDirectory()
            context.fails(.callback, "a second one") { () throws(StorageError) in
                try bed.engine.beginRewrite(toDirectory: directory).cancel()
            }
            try bed.change(0)
            try bed.complete(rewrite)
            try rewrite.finish()
            _ = try bed.openAndCompare()
        },
        ConformanceTest("Rewriting", "it begins after the write transaction, and not in one of its own thread (593)") {
            context in
            guard let bed = try RewriteFixture(context, documents: 20) else { return }
            let writer = try bed.engine.beginWrite()
            try writer.add("early")
            let directory = try context.makeDirectory()
            context.fails(.callback, "waiting for itself") { () throws(StorageError) in
                try bed.engine.beginRewrite(toDirectory: directory).cancel()
            }
            let isCommitted = Flag()
            try bed.makeDirectory()
            let copier = context.thread { () throws(StorageError) in
                let rewrite = try bed.engine.beginRewrite(toDirectory: bed.directory)
                context.expect(isCommitted.isSet, "the rewrite begins after the write transaction has ended")
                try rewrite.finish()
            }
            context.expect(!copier.join(milliseconds: 5), "it waits")
            isCommitted.set()
            try writer.commit()
            context.expect(copier.join(), "it gets its turn")
            _ = try bed.openAndCompare()
        },
        ConformanceTest("Rewriting", "a write that fails ends it with conflict (409), or is not in the copy") {
            context in
            guard let bed = try RewriteFixture(context) else { return }
            let plan = FaultPlan()
            let failing = FaultInjectingEngine(bed.engine, faults: plan)
            let rewrite = try bed.begin()
            _ = try rewrite.step(limit: .zero)
            var calls = 0
            repeat {
                calls += 1
                plan.arm(failingCall: calls, with: StorageError(.full, "A fault made by the test."))
                do throws(StorageError) {
                    try failing.write { (tx) throws(StorageError) in try tx.writeEverything("lost\(calls)") }
                    context.equal(plan.failedCall, nil, "a fault comes out")
                } catch {
                    context.equal(error.code, .full, "the fault comes out")
                }
            } while plan.failedCall != nil && calls < 100
            context.expect(calls > 10, "calls were let fail")
            try bed.change(0)
            do throws(StorageError) {
                try bed.complete(rewrite)
                try rewrite.finish()
            } catch {
                context.equal(error.code, .conflict, "what cannot be followed is said")
                rewrite.cancel()
                return
            }
            _ = try bed.openAndCompare()
        },
        ConformanceTest("Rewriting", "closing the engine ends it: notOpen (503)") { context in
            guard let bed = try RewriteFixture(context) else { return }
            let rewrite = try bed.begin()
            _ = try rewrite.step(limit: .zero)
            context.close(bed.engine)
            context.fails(.notOpen, "a step") { () throws(StorageError) in _ = try rewrite.step(limit: .zero) }
            context.fails(.notOpen, "another one") { () throws(StorageError) in
                try bed.engine.beginRewrite(toDirectory: bed.directory).cancel()
            }
            rewrite.cancel()
        },
        ConformanceTest("Rewriting", "a store that is open read-only is not rewritten: readOnly (403)") { context in
            let directory = try context.makeDirectory()
            let engine = try context.open(directory, create: true)
            guard engine.capabilities.compaction == .inSteps else { return }
            context.close(engine)
            let reader = try context.open(directory, readOnly: true)
            let target = try context.makeDirectory()
            context.fails(.readOnly, "a rewrite") { () throws(StorageError) in
                try reader.beginRewrite(toDirectory: target).cancel()
            }
        },
        ConformanceTest("Rewriting", "what another process commits ends it with conflict (409)", needs: .processes) {
            context in
            guard context.row.factory.capabilities.sharing == .multiProcess else { return }
            for steps in [1, 1_000] {
                let place = try SharedStore(context)
                let engine = try context.open(place.store, create: true)
                guard let bed = try RewriteFixture(context, engine) else { return }
                let rewrite = try bed.begin()
                for _ in 0..<steps where try rewrite.step(limit: .zero).isComplete { break }
                try context.runPart(.append, place)
                context.fails(.conflict, "after \(steps) steps") { () throws(StorageError) in
                    if steps == 1 { _ = try rewrite.step(limit: .zero) }
                    try rewrite.finish()
                }
                bed.expectTheEnd(of: rewrite, "after an error")
                rewrite.cancel()
                let next = try bed.begin()
                try next.finish()
                _ = try bed.openAndCompare()
            }
        },
    ]
}
