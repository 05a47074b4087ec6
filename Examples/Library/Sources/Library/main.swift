import Engine
import Foundation
import Models
import Settee

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("library-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let manager = try Manager(directory: folder)
let engine = Engine(try manager.database(named: "library"))
try engine.keep(Document(title: "Little, Big"), as: "little-big")
let kept = try engine.document("little-big")
guard kept == Document(title: "Little, Big"), try engine.handle("little-big").revision() != nil else {
    fatalError("the document is not what was saved")
}
print("The app's Document and Settee's live side by side.")
