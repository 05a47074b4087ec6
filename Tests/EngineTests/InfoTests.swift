import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Info values and the UUIDs of databases.
@Suite struct InfoTests {
    @Test(arguments: Storage.all) func valuesAreSetReadListedAndRemoved(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(try bed.database.info["color"] == nil)
            #expect(try bed.database.info.all().isEmpty)
            try bed.database.info.set("green", for: "color")
            try bed.database.info.set("é", for: "é")
            try bed.database.info.set("e\u{0301}", for: "e\u{0301}")
            try bed.database.info.set("", for: "empty")
            #expect(try bed.database.lastSequence == 0)
            try bed.reopen()
            let info = bed.database.info
            #expect(try info["color"] == "green")
            #expect(try info["empty"]?.isEmpty == true)
            let all = try info.all()
            #expect(all.map { bytes($0.key) } == ["color", "empty", "e\u{0301}", "é"].map(bytes))
            #expect(all.map { bytes($0.value) } == ["green", "", "e\u{0301}", "é"].map(bytes))
            try info.set("red", for: "color")
            #expect(try info["color"] == "red")
            #expect(try info.remove("color"))
            #expect(try !info.remove("color"))
            try info.set(nil, for: "empty")
            #expect(try info["empty"] == nil)
        }
    }

    @Test(arguments: Storage.all) func theyBelongToTransactions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let info = bed.database.info
            expectApplicationError(1) {
                try bed.database.inTransaction {
                    try info.set("1", for: "a")
                    #expect(try info["a"] == "1")
                    throw ApplicationError(number: 1)
                }
            }
            #expect(try info["a"] == nil)
            try bed.database.inTransaction { try info.set("2", for: "a") }
            try bed.database.read { (_) throws in
                #expect(try info["a"] == "2")
                expectError(.callback) { try info.set("3", for: "a") }
            }
        }
    }

    @Test(arguments: Storage.all) func whatSetteeKeepsIsOutOfReach(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let uuids = try [database.publicUUID, database.privateUUID]
            for key in ["publicUUID", "privateUUID", "previousPrivateUUID", "maxRevTreeDepth"] {
                #expect(try database.info[key] == nil, "\(key)")
                try database.info.set("7", for: key)
                #expect(try database.info[key] == "7")
            }
            #expect(try [database.publicUUID, database.privateUUID] == uuids)
            #expect(try database.previousPrivateUUID == nil)
        }
    }

    @Test(arguments: Storage.all) func whatCannotBeAKeyOrValueIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let info = bed.database.info
            for key in ["", "a\u{0}b", String(repeating: "x", count: 256)] {
                expectError(.badParameter) { try info[key] }
                expectError(.badParameter) { try info.set("1", for: key) }
                expectError(.badParameter) { try info.remove(key) }
            }
            let long = String(repeating: "x", count: 255)
            let large = String(repeating: "v", count: 1 << 20)
            try info.set(large, for: long)
            #expect(try info[long] == large)
            expectError(.tooLarge) { try info.set(large + "v", for: long) }
            #expect(try info[long] == large)
        }
    }

    @Test(arguments: Storage.plain) func aDatabaseHasUUIDsOfItsOwn(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let uuids = try [bed.database.publicUUID, bed.database.privateUUID]
            for uuid in uuids { #expect(UUID(uuidString: uuid)?.uuidString.lowercased() == uuid) }
            let other = try bed.manager.database(named: "other", options: TestDatabase.options)
            #expect(try Set(uuids + [other.publicUUID, other.privateUUID]).count == 4)
            try bed.reopen()
            #expect(try [bed.database.publicUUID, bed.database.privateUUID] == uuids)
        }
    }

    @Test(arguments: Storage.plainPersistent) func aFolderFromBeforeThereWereUUIDsGetsThem(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.engine().write { (transaction) throws(StorageError) in
                try transaction.setInfo(nil, for: "publicUUID")
                try transaction.setInfo(nil, for: "privateUUID")
            }
            try bed.database.close()
            let reader = try Manager(directory: bed.folder.url, options: .init(readOnly: true)).database(named: "test")
            expectError(.readOnly) { try reader.publicUUID }
            try reader.close()
            try bed.reopen()
            let uuids = try [bed.database.publicUUID, bed.database.privateUUID]
            #expect(uuids[0] != uuids[1])
            try bed.reopen()
            #expect(try [bed.database.publicUUID, bed.database.privateUUID] == uuids)
        }
    }
}
