// The exit codes of the commands. docs/cli.md lists them.

export const exits = {
  done: 0,
  error: 1,
  usage: 2,
  /** The service answered, and refused. */
  refused: 3,
  /** A cancellation ended with another transaction in the nonce: the original, or a foreign one. */
  lost: 4,
  /** The result is still open. */
  undecided: 5,
  /** A relayer is held up, or would hold up its next send. */
  stuck: 6,
} as const

export type Exit = (typeof exits)[keyof typeof exits]

/** Ends a command with a message for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exit: Exit

  constructor(exit: Exit, message: string, options?: { cause: unknown }) {
    super(message, options)
    this.exit = exit
  }
}

export function usage(message: string): CommandError {
  return new CommandError(exits.usage, message)
}
