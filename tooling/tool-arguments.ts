// Parses the command line of the repository's tools; a mistyped option prints a sentence, not a stack.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Prints `usage` and ends the process with 0 for --help, or with 2 for an unknown option. */
export function toolArguments<const T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  if (process.argv.slice(2).some((each) => each === '--help' || each === '-h')) {
    process.stdout.write(usage)
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`)
    process.exit(2)
  }
}
