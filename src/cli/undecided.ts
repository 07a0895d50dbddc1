// Errors that leave the outcome of a request open.
import { ApiError, NoAnswer } from '../client/client.ts'
import { CommandError, exits } from './exits.ts'

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
