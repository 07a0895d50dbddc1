// What commands that cancel or move money demand and explain: the word "yes", and what a failure left undecided.

import { ApiError, NoAnswer } from '../client/client.ts'
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

/** Whether the service may have carried out the request: it was sent, and no answer shows its result. */
export function leavesOpen(error: unknown): error is Error {
  return (error instanceof NoAnswer && !error.isUnsent) || (error instanceof ApiError && error.status >= 500)
}

/** The error to throw when the outcome of a cancellation is open. */
export function undecidedIfStored(error: unknown, stop: AbortSignal, remedy: string): unknown {
  return leavesOpen(error) || stop.aborted ? undecided(error, stop, remedy) : error
}

/** The error to throw when a cancellation is stored, and an error hides its verdicts. */
export function undecided(error: unknown, stop: AbortSignal, remedy: string): CommandError {
  const reason = stop.aborted ? 'stopped' : error instanceof Error ? error.message : String(error)
  return new CommandError(exits.undecided, `undecided (${reason}); ${remedy}`, { cause: error })
}
