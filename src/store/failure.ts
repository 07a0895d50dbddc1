// How a failure of the database, whichever it is, reaches the requester: nothing of it is stored, or nobody knows.

import { RescindError } from '../domain/errors.ts'
import { memberOf } from '../ops/member.ts'

/** What codes mean, in words that go on after "the database". The first that fits counts. */
export type Reasons = readonly (readonly [RegExp, string])[]

export function reasonAmong(reasons: Reasons, code: string): string | undefined {
  return reasons.find(([codes]) => codes.test(code))?.[1]
}

/** An answer of our own has a code, too, which is none of the database's. */
export function codeOf(error: unknown): string {
  if (error instanceof RescindError) return ''
  const code = memberOf(error, 'code')
  return typeof code === 'string' ? code : ''
}

export function unavailable(why: string, cause: unknown): RescindError {
  return new RescindError('DATABASE_UNAVAILABLE', `the database ${why}: nothing of this is stored`, { cause })
}

/** `what` went wrong while it was being stored. */
export function inDoubt(what: string, cause: unknown): RescindError {
  const message = `${what} while this was being stored: it is stored, or it is not; look, or send again under the same Idempotency-Key`
  return new RescindError('OUTCOME_UNKNOWN', message, { cause })
}

/** For readiness. */
export function takesNoWrite(why: string | undefined, cause: unknown): RescindError {
  return new RescindError('NOT_READY', `the database ${why ?? 'takes no write'}`, { cause })
}

/** These functions, but what they promise fails with what `translate` makes of the error. */
export function translatingErrors<F extends object>(functions: F, translate: (error: unknown) => unknown): F {
  const wrap =
    (read: (...parameters: unknown[]) => unknown): typeof read =>
    (...parameters) => {
      const answer = read(...parameters)
      if (!(answer instanceof Promise)) return answer
      return answer.catch((error: unknown) => {
        throw translate(error)
      })
    }
  const all = Object.entries(functions).map(([name, each]) => [name, typeof each === 'function' ? wrap(each) : each])
  // The same names, each with a function that takes and answers the same.
  return Object.fromEntries(all) as F
}
