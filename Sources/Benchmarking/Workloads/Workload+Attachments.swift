internal import Settee

extension Workload {
    static let attachments: [Workload] = [
        attach("attach-small", "attachments of 4 KiB, each with a document of its own", bytes: 4 << 10, divisor: 20),
        attach("attach-large", "attachments of 8 MiB", bytes: 8 << 20, divisor: 10_000),
        readAttachments("attachment-read-small", "attachments of 4 KiB, read whole", bytes: 4 << 10, divisor: 20),
        readAttachments(
            "attachment-read-large",
            "attachments of 8 MiB, piece by piece",
            bytes: 8 << 20,
            divisor: 10_000
        ),
    ]

    private static func attach(_ name: String, _ summary: String, bytes: Int, divisor: Int) -> Workload {
        Workload(
            name: name,
            group: .attachment,
            summary: summary,
            unit: "attachments",
            content: .empty,
            divisor: divisor,
            baseline: .files("attach-small", bytes: bytes),
            run: { run in
                try run.attachAll(bytes: bytes)
                return Work(operations: run.count, bytes: run.count * bytes)
            }
        )
    }

    private static func readAttachments(_ name: String, _ summary: String, bytes: Int, divisor: Int) -> Workload {
        Workload(
            name: name,
            group: .attachment,
            summary: summary,
            unit: "attachments",
            content: .empty,
            divisor: divisor,
            baseline: .files("attach-small,attachment-read", bytes: bytes),
            prepare: { run in try run.attachAll(bytes: bytes) },
            run: { run in
                for turn in 0..<run.count {
                    try run.latencies.time {
                        let id = run.id(People.randomDocument(turn, of: run.count))
                        guard let found = try run.database[id].read().attachment(named: "content") else {
                            throw WorkloadRun.missing
                        }
                        try found.forEachPiece(of: 64 << 10) { piece in run.checksum &+= touch(piece) }
                    }
                }
                return Work(operations: run.count)
            }
        )
    }
}

extension WorkloadRun {
    /// Gives each document an attachment that no other has.
    fileprivate func attachAll(bytes: Int) throws {
        var content = [UInt8](repeating: 0, count: bytes)
        for index in content.indices {
            content[index] = UInt8(truncatingIfNeeded: People.mix(UInt64(index / 8)) >> (index % 8 * 8))
        }
        for index in 0..<count {
            unsafe content.withUnsafeMutableBytes { unsafe $0.storeBytes(of: UInt64(index), as: UInt64.self) }
            try latencies.time {
                _ = try database[id(index)].setAttachment(named: "content", content: content)
            }
        }
    }
}
