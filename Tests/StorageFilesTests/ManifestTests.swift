import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

@Suite("The manifest's text")
struct ManifestTests {
    static let sample: Manifest = {
        var manifest = Manifest(
            serial: 7,
            storageType: .lmdb,
            dataGeneration: 3,
            blobGeneration: 2,
            databaseUUID: "0f0e0d0c-0b0a-4908-8706-050403020100"
        )
        manifest.keySlots = [Array(#"{"kdf":"scrypt","cost":15}"#.utf8), Array("null".utf8)]
        manifest.unknown = [
            Manifest.Member(name: Array(#""later""#.utf8), value: Array(#"{"a":[1,2,{"b":"}\""}],"n":1e400}"#.utf8))
        ]
        return manifest
    }()

    @Test func readsWhatItWrites() {
        #expect(ManifestCopy(Self.sample.encoded())?.manifest == Self.sample)
    }

    @Test func keepsItsForm() {
        var plain = Self.sample
        plain.keySlots = []
        plain.unknown = []
        #expect(
            String(decoding: plain.encoded(), as: UTF8.self)
                == #"{"format":"settee","formatVersion":1,"minReader":1,"minWriter":1,"serial":7,"#
                + #""storageType":"lmdb","dataGeneration":3,"blobGeneration":2,"#
                + #""databaseUUID":"0f0e0d0c-0b0a-4908-8706-050403020100","keySlots":[],"#
                + #""checksum":"79fd9a3af440b3f89e6a3ad655f1aa1fc033745259ce3b75faf95c8202079cff"}"# + "\n"
        )
    }

    @Test func refusesEveryFlippedByte() {
        let text = Self.sample.encoded()
        for index in text.indices {
            for bit in [UInt8(1), 0x20, 0x80] {
                var damaged = text
                damaged[index] ^= bit
                #expect(ManifestCopy(damaged)?.manifest == nil, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func refusesEveryTruncation() {
        let text = Self.sample.encoded()
        for count in 0..<text.count {
            #expect(ManifestCopy(Array(text.prefix(count)))?.manifest == nil, "\(count) bytes")
        }
        #expect(ManifestCopy(text + [0x0A])?.manifest == nil)
    }

    @Test(arguments: [
        #"{"format":"settee""#, #"{"#, #""#, #"[1,2"#, #"{"format":"other","serial":1"#,
        #"{"format":"settee","serial":-1"#, #"{"format":"settee","format":"settee""#,
    ])
    func refusesWhatIsSignedButNoManifest(_ text: String) {
        #expect(ManifestCopy(signed(text))?.manifest == nil)
    }

    @Test func refusesNestingWithoutEnd() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(ManifestCopy(signed(#"{"format":"settee","later":"# + deep))?.manifest == nil)
    }

    @Test func survivesAnyBytesUnderAValidChecksum() {
        var generator = SeededGenerator(seed: 0x5E77EE)
        let alphabet = Array(#"{}[]",:\ 0123456789abcformatsettee"#.utf8)
        for round in 0..<2_000 {
            let length = Int.random(in: 0...200, using: &generator)
            let text = (0..<length).map { _ in alphabet.randomElement(using: &generator)! }
            #expect(
                ManifestCopy(signed(String(decoding: text, as: UTF8.self)))?.manifest == nil,
                "seed 0x5E77EE, \(round)"
            )
        }
    }

    @Test func namesGenerations() {
        #expect(Manifest.generationName(.data, 1) == "data-000001")
        #expect(Manifest.generationName(.blobs, 12_345_678) == "blobs-12345678")
        #expect(Manifest.generation(named: "blobs-12345678")?.number == 12_345_678)
        for name in ["data-1", "data-0000001", "data-", "data-00000x", "data", "other-000001", "data-+00001"] {
            #expect(Manifest.generation(named: name) == nil, "\(name)")
        }
    }
}
