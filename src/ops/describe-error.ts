// The parts of an error that go to the log. Drivers and clients attach whole connections, keys, requests and rows to
// their errors, so every member not named here stays out.
import { memberOf } from './member.ts'

/** Members by which the system, PostgreSQL, SQLite and HTTP clients name an error: each a word or a number. */
const namingFields = ['code', 'errno', 'errcode', 'syscall', 'address', 'port', 'constraint'] as const
const causesMax = 8

/** For JSON: type, message, stack, the naming fields, and the same for its causes. Other values are logged as text. */
export function describeError(error: unknown, causesLeft = causesMax): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? String(error) : error
  const { message, stack, cause } = error
  const facts = namingFields.flatMap((name) => {
    const value = memberOf(error, name)
    return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : []
  })
  const further = causesLeft > 0
  return {
    type: error.constructor.name,
    message,
    stack,
    ...Object.fromEntries(facts),
    ...(further && cause !== undefined && { cause: describeError(cause, causesLeft - 1) }),
    ...(further &&
      error instanceof AggregateError && {
        aggregateErrors: error.errors.slice(0, causesMax).map((each) => describeError(each, causesLeft - 1)),
      }),
  }
}
