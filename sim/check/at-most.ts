// A bulk cancellation with `at_most`, watched from outside: of the transactions that did not change between the request and their
// cancellation, it takes no more than that.
import type { Transaction } from '../../src/domain/transaction.ts'
import type { Disk } from '../process/database.ts'

export interface AtMost {
  /** The result is called with the transactions that the answered request took. */
  requested(what: string, atMost: number): (taken: readonly (Transaction | undefined)[]) => void
}

export function watchAtMost({ committed }: Disk, fail: (what: string) => void): AtMost {
  const open = committed<[], { readonly id: string; readonly version: number }>(
    'SELECT id, version FROM transactions WHERE open = 1',
  )
  return {
    requested(what, atMost) {
      const before = new Map(open().map(({ id, version }) => [id, version]))
      return (taken) => {
        // A transaction that only its cancellation changed matched already when the matches were counted.
        const counted = taken.filter((each) => each && each.version === (before.get(each.id) ?? 0) + 1)
        if (counted.length > atMost) fail(`${what} took ${counted.length} that were there before, beyond its ${atMost}`)
      }
    },
  }
}
