internal import Foundation
internal import SetteeJavaScript
internal import SetteeSystemLibrary
internal import Testing

/// The child as a process: what it has, and that it goes.
@Suite struct ProcessTests {
    private func begun(
        _ configuration: JavaScriptConfiguration = JavaScriptConfiguration()
    ) throws -> (JavaScriptWorker, Int32) {
        let worker = JavaScriptWorker(configuration)
        try worker.check(function("doc => emit(doc.n, null)"))
        return (worker, try #require(worker.childIdentifier))
    }

    @Test func hasNoneOfTheHostsDescriptors() throws {
        // Descriptors that would be inherited: not close-on-exec.
        let open = (0..<20).map { _ in SetteeSystemLibrary.open("/proc/self/status", O_RDONLY) }
        defer { for descriptor in open { close(descriptor) } }
        #expect(open.allSatisfy { $0 > 2 })
        let (first, one) = try begun()
        let (second, two) = try begun()
        defer { withExtendedLifetime((first, second)) {} }
        for child in [one, two] {
            var descriptors = try ProcessFacts.descriptors(child)
            #expect(descriptors.removeValue(forKey: "0")?.hasPrefix("socket:") == true)
            #expect(descriptors.removeValue(forKey: "1")?.hasPrefix("socket:") == true)
            #expect(descriptors.removeValue(forKey: "2") == "/dev/null")
            // JavaScriptCore's own.
            let own = ["/dev/urandom", "/proc/\(child)/statm", "anon_inode:[eventfd]"]
            for target in descriptors.values { #expect(own.contains(target), "\(target)") }
        }
    }

    @Test func hasGivenUpItsRights() throws {
        let (worker, child) = try begun()
        defer { withExtendedLifetime(worker) {} }
        let status = try ProcessFacts.status(child)
        #expect(status["NoNewPrivs"] == "1")
        // 2: a filter of system calls.
        #expect(status["Seccomp"] == "2")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/cwd") == "/")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "/proc/\(child)/environ")).isEmpty)
        #expect(try String(contentsOfFile: "/proc/\(child)/oom_score_adj", encoding: .utf8) == "1000\n")
        let limits = try String(contentsOfFile: "/proc/\(child)/limits", encoding: .utf8)
        for name in ["Max core file size", "Max file size"] {
            let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix(name) })
            #expect(line.split(separator: " ").contains("0"), "\(line)")
        }
        #expect(status["Threads"].flatMap { Int($0) } ?? 0 < 32)
    }

    @Test func killedBetweenCalls() throws {
        let (worker, child) = try begun()
        #expect(kill(child, SIGKILL) == 0)
        #expect(try worker.rows("doc => emit(doc.n, null)", [#"{"n":1}"#]) == [.rows(["1: null"])])
        #expect(worker.childIdentifier != child)
        #expect(!ProcessFacts.exists(child))
    }

    @Test(arguments: 0..<5) func killedWithinACall(round: Int) throws {
        let (worker, child) = try begun()
        let documents = (0..<3000).map { #"{"n":\#($0)}"# }
        let killer = Thread {
            usleep(UInt32(round * 20_000))
            kill(child, SIGKILL)
        }
        killer.start()
        let source = "doc => { for (let i = 0; i < 2000; i++) {} emit(doc.n, null) }"
        #expect(try worker.rows(source, documents) == documents.indices.map { .rows(["\($0): null"]) })
        #expect(ProcessFacts.wait { killer.isFinished })
        // Whatever the time was, it is gone once the worker has noticed.
        _ = try worker.rows(source, ["{}"])
        #expect(worker.childIdentifier != child && !ProcessFacts.exists(child))
    }

    @Test func aStoppedChildIsEnded() throws {
        let (worker, child) = try begun(short(time: .milliseconds(100)))
        #expect(kill(child, SIGSTOP) == 0)
        let outcomes = try worker.rows("doc => emit(doc.n, null)", ["{}"])
        #expect(outcomes == [.error(.timeLimit(.milliseconds(100)))] || outcomes == [.rows(["null: null"])])
        #expect(!ProcessFacts.exists(child))
    }

    @Test func noZombiesStay() throws {
        var children: [Int32] = []
        for _ in 0..<5 {
            let (worker, child) = try begun(JavaScriptConfiguration(timeLimit: .seconds(60), memoryLimit: 100 << 20))
            children.append(child)
            let bomb = "doc => { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) }"
            #expect(try worker.rows(bomb, ["{}"]) == [.error(.memoryLimit(100 << 20))])
            try worker.check(function("doc => 1"))
            children.append(try #require(worker.childIdentifier))
        }
        for child in children { #expect(!ProcessFacts.exists(child)) }
    }

    /// The host is killed while its child never comes back from a function.
    @Test func endsWithItsHost() async throws {
        let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            let worker = JavaScriptWorker(JavaScriptConfiguration(timeLimit: .seconds(3600)))
            try worker.check(function("doc => { for (;;) {} }"))
            let child = try #require(worker.childIdentifier)
            Thread.detachNewThread { _ = try? worker.rows("doc => { for (;;) {} }", ["{}"]) }
            // It works: its processor time grows.
            let worked = ProcessFacts.wait {
                let stat = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
                let fields = stat.split(separator: " ")
                return fields.count > 13 && (Int(fields[13]) ?? 0) > 20
            }
            guard worked else { exit(1) }
            FileHandle.standardOutput.write(Data("child \(child)\n".utf8))
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("child ") })
        let child = try #require(Int32(line.dropFirst(6)))
        #expect(ProcessFacts.wait { !ProcessFacts.runs(child) })
    }

    @Test func endsWithItsWorker() throws {
        let child: Int32
        do {
            let (worker, identifier) = try begun()
            child = identifier
            #expect(ProcessFacts.runs(child))
            withExtendedLifetime(worker) {}
        }
        #expect(!ProcessFacts.exists(child))
    }

    /// Long-lived work reuses one child, and does not fill its memory.
    @Test func memoryStaysWithinBounds() throws {
        let (worker, child) = try begun()
        let documents = (0..<500).map { #"{"n":\#($0),"text":"\#(String(repeating: "z", count: 2000))"}"# }
        for _ in 0..<20 { _ = try worker.rows("doc => { JSON.stringify([doc, doc]); emit(doc.n, null) }", documents) }
        #expect(worker.childIdentifier == child)
        let resident = try #require(
            ProcessFacts.status(child)["VmRSS"]?.split(separator: " ").first.flatMap { Int($0) }
        )
        #expect(resident < 200 << 10)
    }
}
