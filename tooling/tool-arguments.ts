// What a tool of the repository was asked for on its command line: people mistype, and no stack of Node's helps them.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** Prints `usage` and ends the process where it is asked for, with 0, or where an option is none, with 2. */
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
