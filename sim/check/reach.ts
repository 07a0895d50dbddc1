// Checks how far a nonce is assigned above the record and the chain.
import { nonceLimit, reachMax } from '../../src/domain/decide/rules/reach.ts'
import type { Row } from './row.ts'

export interface ReachWatch {
  changed(row: Row): void
  /** An operator has permitted gap fillers, which lifts the limit. */
  permitted(): void
  /** A copy was restored. */
  forget(): void
}

/** `countOf`: the account's true count now. */
export function watchReach(countOf: (address: string) => number, fail: (what: string) => void): ReachWatch {
  /** The highest nonce on record of each relayer. */
  const highest = new Map<string, number>()
  let isPermitted = false
  return {
    changed({ id, relayer_id: relayer, nonce, from_address: address }) {
      if (nonce === null) return
      const before = highest.get(relayer)
      highest.set(relayer, Math.max(before ?? nonce, nonce))
      if (nonce >= nonceLimit) fail(`${id} has nonce ${nonce}, which no account reaches`)
      if (before === undefined || isPermitted) return
      const above = nonce - Math.max(before, countOf(address))
      if (above > reachMax) fail(`${id} has nonce ${nonce}, ${above} above all that the record and the chain show`)
    },
    permitted() {
      isPermitted = true
    },
    forget: () => highest.clear(),
  }
}
