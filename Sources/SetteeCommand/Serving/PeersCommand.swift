#if Sync
internal import ArgumentParser
internal import Dispatch
internal import Settee
internal import SetteeDiscovery
internal import StorageProtocol

/// `settee peers`.
struct PeersCommand: PrintingCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "List the servers that advertise themselves on the local network.",
        discussion: """
            It looks for 3 seconds, and needs Avahi's daemon. What is listed is what others say of themselves: anybody \
            on the network can say anything. With --follow it goes on with those that come and go, until it is \
            interrupted.
            """
    )

    @Flag(help: "Go on with the peers that come, change and go. An interrupt ends it.")
    var follow = false
    @Option(help: "How many seconds to look, without --follow.")
    var seconds = 3
    @OptionGroup var common: OutputOptions

    func validate() throws {
        if !(1...3_600 ~= seconds) { throw ValidationError("--seconds must be from 1 to 3600.") }
    }

    func run() throws {
        let ended = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        let asJSON = common.json
        let (follow, seconds) = (follow, seconds)
        let task = Task {
            do {
                let printing = PeerPrinting(asJSON: asJSON)
                if follow {
                    try await printing.follow()
                } else {
                    try await printing.list(for: .seconds(seconds))
                }
            } catch {
                failure.withLock { $0 = error }
            }
            ended.signal()
        }
        let interrupts = Interrupts { _ in task.cancel() }
        defer { interrupts.restore() }
        // That the reader of a pipe is gone is only known by checking.
        while ended.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
            if Terminal.readerOfOutputIsGone { task.cancel() }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
#endif
