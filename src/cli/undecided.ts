// Errors that leave the outcome of a cancellation open.
import { ApiError, NoAnswer } from '../client/client.ts'
import { CommandError, exits } from './exits.ts'

/** The error to throw when the outcome of a cancellation is open. */
export function undecidedIfStored(error: unknown, stop: AbortSignal, remedy: string): unknown {
  const isOpen = (error instanceof NoAnswer && !error.isUnsent) || (error instanceof ApiError && error.status >= 500)
  return isOpen || stop.aborted ? undecided(error, stop, remedy) : error
}

/** What to throw when a cancellation is stored, and an error hides its verdicts. */
export function undecided(error: unknown, stop: AbortSignal, remedy: string): CommandError {
  const reason = stop.aborted ? 'stopped' : error instanceof Error ? error.message : String(error)
  return new CommandError(exits.undecided, `undecided (${reason}); ${remedy}`, { cause: error })
}
