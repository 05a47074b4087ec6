internal import Crypto
internal import Foundation
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import SetteeListener

/// The pair of files that a server makes.
struct SelfSignedPairTests {
    private let folder = NSTemporaryDirectory() + "settee-tls-\(UUID().uuidString)"
    private var pair: SelfSignedPair { SelfSignedPair(folder: folder, name: "kitchen.local") }

    private func files() throws -> [Data] {
        try [pair.keyPath, pair.certificatePath].map { try Data(contentsOf: URL(filePath: $0)) }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func thePairIsMadeOnceAndOnlyTheOwnerReadsIt() throws {
        try pair.prepare()
        let first = try files()
        #expect(try mode(folder) == 0o700)
        #expect(try mode(pair.keyPath) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        try pair.prepare()
        #expect(try files() == first)
        let certificate = try Certificate(pemEncoded: String(decoding: first[1], as: UTF8.self))
        #expect("\(certificate.subject)".contains("kitchen.local"))
        #expect(certificate.notValidAfter.timeIntervalSinceNow > 9 * 365 * 86_400)
        #expect(try certificate.extensions.basicConstraints == .notCertificateAuthority)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test(arguments: ["key.pem", "certificate.pem"], ["missing", "damaged", "empty", "long", "foreign"])
    func anUnusablePairIsMadeAnew(file: String, damage: String) throws {
        try pair.prepare()
        let first = try files()
        let path = "\(folder)/\(file)"
        switch damage {
        case "missing": try FileManager.default.removeItem(atPath: path)
        case "damaged": try write(Data("-----BEGIN NOTHING-----".utf8), path)
        case "empty": try write(Data(), path)
        case "long": try write(Data(count: 1 << 20), path)
        default:
            let other = try SelfSignedPair.make(named: "other")
            try write(Data((file == "key.pem" ? other.key : other.certificate).utf8), path)
        }
        try pair.prepare()
        let second = try files()
        #expect(first[0] != second[0] && first[1] != second[1])
        #expect(SelfSignedPair.isValid(key: Array(second[0]), certificate: Array(second[1])))
        #expect(try mode(pair.keyPath) == 0o600)
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Keeps the mode of the file.
    private func write(_ data: Data, _ path: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }

    @Test func anExpiredPairIsMadeAnew() throws {
        let old = try SelfSignedPair.make(named: "a", from: Date(timeIntervalSince1970: 0))
        #expect(!SelfSignedPair.isValid(key: Array(old.key.utf8), certificate: Array(old.certificate.utf8)))
        let last = Date(timeIntervalSince1970: 3_652 * 86_400 - 1)
        #expect(SelfSignedPair.isValid(key: Array(old.key.utf8), certificate: Array(old.certificate.utf8), at: last))
        try PrivateFile.makeFolder(folder)
        try PrivateFile(path: pair.keyPath).replace(with: Array(old.key.utf8))
        try PrivateFile(path: pair.certificatePath).replace(with: Array(old.certificate.utf8))
        try pair.prepare()
        let new = try files()
        #expect(SelfSignedPair.isValid(key: Array(new[0]), certificate: Array(new[1])))
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o611])
    func aKeyThatOthersMayUseIsRefused(mode: Int) throws {
        try pair.prepare()
        let first = try files()
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: pair.keyPath)
        let error = #expect(throws: StorageError.self) { try pair.prepare() }
        #expect(error?.message.contains("chmod 600") ?? false)
        #expect(try files() == first)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test(arguments: ["key.pem", "certificate.pem"])
    func symbolicLinksAreNotFollowed(file: String) throws {
        try pair.prepare()
        let path = "\(folder)/\(file)"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".real")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path + ".real")
        let error = #expect(throws: StorageError.self) { try pair.prepare() }
        #expect(error?.message.contains("symbolic link") ?? false)
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test func otherThingsInPlaceOfFilesAreRefused() throws {
        try PrivateFile.makeFolder(folder)
        try FileManager.default.createDirectory(atPath: pair.keyPath, withIntermediateDirectories: false)
        #expect(throws: StorageError.self) { try pair.prepare() }
        try FileManager.default.removeItem(atPath: pair.keyPath)
        // Opening a pipe for reading must not wait for a writer.
        #expect(mkfifo(pair.keyPath, 0o600) == 0)
        #expect(throws: StorageError.self) { try pair.prepare() }
        try FileManager.default.removeItem(atPath: folder)
        #expect(throws: StorageError.self) { try SelfSignedPair(folder: folder + "/a/b", name: "a").prepare() }
    }

    @Test(arguments: ["", "a b", "a\0b", "a\nb", "*", "\u{e4}", String(repeating: "a", count: 65)])
    func namesThatAreNoHostNamesAreRefused(name: String) throws {
        let error = #expect(throws: StorageError.self) { try SelfSignedPair(folder: folder, name: name).prepare() }
        #expect(error?.code == .badParameter)
        try FileManager.default.removeItem(atPath: folder)
    }
}
