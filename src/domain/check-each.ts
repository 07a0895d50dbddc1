// Checks each item of a list that is accepted as a whole or not at all. One error names every bad item, up to a bound.
import { type ErrorCode, RescindError } from './errors.ts'

/** How many items one message names. The rest are counted. */
export const namedItemsMax = 10
/** Errors about one item. Any other error, such as that of a paused relayer, is about all of them. */
const ofAnItem: readonly ErrorCode[] = ['INVALID_REQUEST', 'POLICY_VIOLATION', 'GAS_LIMIT_TOO_LOW']

/**
 * Returns the results of `check`. Throws one error with the code of the first refusal, whose lines begin with
 * `list[index].field: `.
 */
export function checkEach<T, R>(list: string, items: readonly T[], check: (item: T) => R): R[] {
  const refused: { readonly code: ErrorCode; readonly line: string }[] = []
  const checked = items.flatMap((item, index): R[] => {
    try {
      return [check(item)]
    } catch (error) {
      if (!(error instanceof RescindError) || !ofAnItem.includes(error.code)) throw error
      // A message that begins with the list's own name is about the item as a whole.
      const line = error.message.startsWith(`${list}: `)
        ? `${list}[${index}]${error.message.slice(list.length)}`
        : `${list}[${index}].${error.message}`
      refused.push({ code: error.code, line })
      return []
    }
  })
  const [first] = refused
  if (!first) return checked
  const lines = refused.slice(0, namedItemsMax).map(({ line }) => line)
  if (refused.length > namedItemsMax) lines.push(`and ${refused.length - namedItemsMax} more of them`)
  throw new RescindError(first.code, lines.join('\n'))
}
