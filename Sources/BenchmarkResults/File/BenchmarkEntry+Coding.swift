/// Latencies are members of the entry itself, and the counterpart's figures are null rather than absent.
extension BenchmarkEntry {
    private enum CodingKeys: String, CodingKey {
        case engine, workload, group, unit, documents, operations
        case opsPerSecond, opsPerSecondMinimum, opsPerSecondMaximum
        case baselineOpsPerSecond, ratio, cpuRatio, baseline, baselineLeavesOut
        case cpuMicroseconds, bytesWritten, writeAmplification, peakMemory, bytesOnDisk, bytesBefore
        case latencyOf, p50, p99, p999, maximum, latencyCurve, idleP99
        case rounds
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func figure(_ key: CodingKeys) throws -> Double? { try values.decodeIfPresent(Double.self, forKey: key) }
        self.init(
            engine: try values.decode(String.self, forKey: .engine),
            workload: try values.decode(String.self, forKey: .workload),
            group: try values.decodeIfPresent(String.self, forKey: .group) ?? "",
            unit: try values.decodeIfPresent(String.self, forKey: .unit) ?? "documents",
            documents: try values.decode(Int.self, forKey: .documents),
            operations: try values.decodeIfPresent(Int.self, forKey: .operations) ?? 0,
            rounds: try values.decodeIfPresent([BenchmarkRound].self, forKey: .rounds) ?? [],
            baseline: try values.decodeIfPresent(String.self, forKey: .baseline),
            baselineLeavesOut: try values.decodeIfPresent(String.self, forKey: .baselineLeavesOut),
            idleP99: try figure(.idleP99)
        )
        opsPerSecond = try values.decode(Double.self, forKey: .opsPerSecond)
        opsPerSecondMinimum = try figure(.opsPerSecondMinimum)
        opsPerSecondMaximum = try figure(.opsPerSecondMaximum)
        baselineOpsPerSecond = try figure(.baselineOpsPerSecond)
        ratio = try figure(.ratio)
        cpuRatio = try figure(.cpuRatio)
        cpuMicroseconds = try figure(.cpuMicroseconds)
        bytesWritten = try figure(.bytesWritten)
        writeAmplification = try figure(.writeAmplification)
        peakMemory = try figure(.peakMemory)
        bytesOnDisk = try figure(.bytesOnDisk)
        bytesBefore = try figure(.bytesBefore)
        if let p50 = try figure(.p50), let p99 = try figure(.p99), let p999 = try figure(.p999) {
            latency = Latency(
                of: try values.decodeIfPresent(String.self, forKey: .latencyOf) ?? "operation",
                p50: p50,
                p99: p99,
                p999: p999,
                maximum: try figure(.maximum) ?? p999,
                curve: try values.decodeIfPresent([[Double]].self, forKey: .latencyCurve) ?? []
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(engine, forKey: .engine)
        try values.encode(workload, forKey: .workload)
        try values.encode(group, forKey: .group)
        try values.encode(unit, forKey: .unit)
        try values.encode(documents, forKey: .documents)
        try values.encode(operations, forKey: .operations)
        try values.encode(opsPerSecond, forKey: .opsPerSecond)
        try values.encode(baselineOpsPerSecond, forKey: .baselineOpsPerSecond)
        try values.encode(ratio, forKey: .ratio)
        try values.encode(cpuRatio, forKey: .cpuRatio)
        try values.encodeIfPresent(baseline, forKey: .baseline)
        try values.encodeIfPresent(baselineLeavesOut, forKey: .baselineLeavesOut)
        for (key, figure) in [
            (CodingKeys.opsPerSecondMinimum, opsPerSecondMinimum), (.opsPerSecondMaximum, opsPerSecondMaximum),
            (.cpuMicroseconds, cpuMicroseconds), (.bytesWritten, bytesWritten),
            (.writeAmplification, writeAmplification), (.peakMemory, peakMemory), (.bytesOnDisk, bytesOnDisk),
            (.bytesBefore, bytesBefore), (.p50, latency?.p50), (.p99, latency?.p99), (.p999, latency?.p999),
            (.maximum, latency?.maximum), (.idleP99, idleP99),
        ] {
            try values.encodeIfPresent(figure, forKey: key)
        }
        try values.encodeIfPresent(latency?.of, forKey: .latencyOf)
        try values.encodeIfPresent(latency?.curve, forKey: .latencyCurve)
        try values.encode(rounds, forKey: .rounds)
    }
}
