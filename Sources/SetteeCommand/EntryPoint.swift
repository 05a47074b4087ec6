internal import ArgumentParser
internal import Foundation
internal import Settee

/// The program `settee`. Exit status: 0 done, 1 failed, 2 usage error.
@main
enum EntryPoint {
    static func main() {
        Terminal.holdClosedStreams()
        Terminal.ignoreSignalsOfWriting()
        CommandThread.run { exit(status()) }
    }

    /// Parses the arguments and runs the command.
    ///
    /// - Returns: the exit status.
    private static func status() -> Int32 {
        let arguments: [String]
        do throws(StorageError) {
            try KeyVariable.takeAll()
            arguments = ProgramArguments.joiningKeys(try ProgramArguments.checked())
        } catch {
            Failure.report(error, asJSON: asksForJSON(CommandLine.arguments))
            return 2
        }
        let command: any ParsableCommand
        do {
            command = try RootCommand.parseAsRoot(arguments)
        } catch {
            // Help and completion scripts also arrive here.
            return Failure.reportUsage(error, asJSON: asksForJSON(arguments))
        }
        return run(command)
    }

    /// Returns whether `--json` is among arguments that could not be parsed.
    private static func asksForJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }

    private static func run(_ command: any ParsableCommand) -> Int32 {
        var command = command
        let options = (command as? any DatabaseCommand)?.output ?? (command as? any PrintingCommand)?.common
        let asJSON = options?.json ?? false
        LogSetting.apply(options?.log ?? [], asJSON: asJSON)
        do {
            try command.run()
            return 0
        } catch let error as StorageError {
            Failure.report(error, asJSON: asJSON)
            return 1
        } catch is ReaderGone {
            return 0
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            return Failure.reportUsage(error, asJSON: asJSON)
        }
    }
}
