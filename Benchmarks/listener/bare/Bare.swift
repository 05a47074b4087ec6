import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// HummingbirdCore's own server, which the listener is compared with: `bare PORT FILE` answers every request with the
/// bytes of the file, and those whose path begins with `/wait` never.
@main
enum Bare {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let port = Int(CommandLine.arguments[1]) else {
            FileHandle.standardError.write(Data("usage: bare PORT FILE\n".utf8))
            exit(2)
        }
        let bytes = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: CommandLine.arguments[2])))
        let head = HTTPResponse(
            status: .ok,
            headerFields: [.contentType: "application/json", .contentLength: String(bytes.readableBytes)]
        )
        let channel = HTTP1Channel(responder: { request, writer, channel in
            if request.uri.path.hasPrefix("/wait") {
                try await channel.closeFuture.get()
            } else {
                try await writer.write(response: head, body: ResponseBody(byteBuffer: bytes))
            }
        })
        let server = Server(
            childChannelSetup: channel,
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port), backlog: 1_024),
            onServerRunning: { channel in
                // As `settee serve --json`.
                let port = channel.localAddress?.port ?? 0
                FileHandle.standardOutput.write(Data(#"{"url":"http://127.0.0.1:\#(port)/"}\#n"#.utf8))
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "bare") { _ in SwiftLogNoOpLogHandler() }
        )
        try await server.run()
    }
}
