// The question before a command that can't be taken back, unless --yes is there.
import { CommandError, exits, usage } from './exits.ts'
import type { Terminal } from './terminal.ts'

interface Question {
  /** The command or the option, at the start of the usage error. */
  readonly needsAnswer: string
  readonly question: string
  /** The message after any other answer. */
  readonly otherwise: string
}

/** Returns after a yes. Throws a usage error without a terminal, and a CommandError after any other answer. */
export async function requireYes(terminal: Terminal, { needsAnswer, question, otherwise }: Question): Promise<void> {
  if (!terminal.isInteractive) throw usage(`${needsAnswer} needs an answer, and here is no terminal; add --yes`)
  const answer = await terminal.ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer)) throw new CommandError(exits.error, otherwise)
}
