// What a database failure means for the requester: nothing is stored, or the outcome is unknown.

import { RescindError } from '../domain/errors.ts'
import { memberOf } from '../ops/member.ts'

/** Patterns of codes, and what they mean, in words that continue "the database". The first match counts. */
export type Reasons = readonly (readonly [RegExp, string])[]

export function reasonAmong(reasons: Reasons, code: string): string | undefined {
  return reasons.find(([codes]) => codes.test(code))?.[1]
}

/** A RescindError also has a code, which is not a code of the database. */
export function codeOf(error: unknown): string {
  if (error instanceof RescindError) return ''
  const code = memberOf(error, 'code')
  return typeof code === 'string' ? code : ''
}

export function unavailable(why: string, cause: unknown): RescindError {
  return new RescindError('DATABASE_UNAVAILABLE', `the database ${why}: nothing of this is stored`, { cause })
}

/** The outcome is unknown: `what` happened while the unit was being stored. */
export function inDoubt(what: string, cause: unknown): RescindError {
  const message = `${what} while this was being stored: it may or may not be stored; read it, or send again under the same Idempotency-Key`
  return new RescindError('OUTCOME_UNKNOWN', message, { cause })
}

/** For the readiness check. */
export function takesNoWrite(why: string | undefined, cause: unknown): RescindError {
  return new RescindError('NOT_READY', `the database ${why ?? 'takes no write'}`, { cause })
}

/** Runs what failed again if that may help. Rejects with the last error. */
export type RunAgain = (error: unknown, run: () => unknown) => Promise<unknown>

/** Does not help. */
export const once: RunAgain = async (error) => {
  throw error
}

/** Wraps functions: each rejects with the error that `translate` returns, once it is not run again. */
export function translatingErrors<F extends object>(
  functions: F,
  translate: (error: unknown) => unknown,
  runAgain = once,
): F {
  const wrap =
    (read: (...parameters: unknown[]) => unknown): typeof read =>
    (...parameters) => {
      const answer = read(...parameters)
      if (!(answer instanceof Promise)) return answer
      return answer.catch(async (error: unknown) => {
        try {
          return await runAgain(error, () => read(...parameters))
        } catch (last) {
          throw translate(last)
        }
      })
    }
  const all = Object.entries(functions).map(([name, each]) => [name, typeof each === 'function' ? wrap(each) : each])
  // Each name keeps the signature of its function.
  return Object.fromEntries(all) as F
}
