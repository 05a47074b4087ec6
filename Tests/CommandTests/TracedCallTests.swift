import SetteeProgramSupport
import Testing

@Suite("The calls of a run that can be made to fail")
struct TracedCallTests {
    @Test("Waking another thread is not file access, and no call that strace would count like it is taken")
    func wakeUps() {
        let log = #"""
            10 openat(AT_FDCWD, "/tmp/db") = 3
            10 write(3, "abc", 3) = 3
            11 write(4, "\1\0\0\0\0\0\0\0", 8) = 8
            10 write(3, "def", 3) = 3
            """#
        #expect(TracedCall.parse(log, from: "/tmp/db").map(\.description) == ["openat #1", "write #2"])
    }
}
