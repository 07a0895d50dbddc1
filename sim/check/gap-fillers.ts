// Checks the limits of gap fillers: in one step, and in one hour for nonces that no transaction of the relayer ever held. Also checks
// how far above the record a nonce is assigned.
import { fillsPerHourMax, fillsPerStepMax } from '../../src/domain/decide/rules/gap-fillers.ts'
import { watchReach } from './reach.ts'
import type { Row } from './row.ts'

export interface GapFillers {
  changed(row: Row): void
  /** An operator has permitted more gap fillers. */
  permitted(): void
  /** A copy was restored. */
  forget(): void
}

const hourMs = 3_600_000

interface OfRelayer {
  /** The nonces that a client's transaction was seen with. */
  readonly assigned: Set<number>
  /** Gap fillers by id. A step records all of its gap fillers at the same time. */
  readonly made: Map<string, { readonly nonce: number; readonly at: number }>
}

/** `countOf`: the account's true count now. */
export function watchGapFillers(countOf: (address: string) => number, fail: (what: string) => void): GapFillers {
  const reach = watchReach(countOf, fail)
  const relayers = new Map<string, OfRelayer>()
  let isPermitted = false

  function check(relayer: string, { assigned, made }: OfRelayer, latest: number): void {
    const inStep = [...made.values()].filter(({ at }) => at === latest).length
    if (inStep > fillsPerStepMax) fail(`${relayer}: ${inStep} gap fillers in one step`)
    if (isPermitted) return
    const unassigned = [...made.values()].filter(({ nonce }) => !assigned.has(nonce))
    const inHour = unassigned.filter(({ at }) => at > latest - hourMs && at <= latest).length
    if (inHour > fillsPerHourMax)
      fail(`${relayer}: ${inHour} gap fillers in an hour for nonces that no transaction held`)
  }

  return {
    changed(row) {
      reach.changed(row)
      const { id, relayer_id: relayer, origin, nonce, created_at: at } = row
      if (nonce === null) return
      const of = relayers.get(relayer) ?? { assigned: new Set(), made: new Map() }
      relayers.set(relayer, of)
      if (origin !== 'gap') {
        of.assigned.add(nonce)
        return
      }
      if (of.made.has(id)) return
      of.made.set(id, { nonce, at })
      check(relayer, of, at)
    },
    permitted() {
      isPermitted = true
      reach.permitted()
    },
    forget() {
      relayers.clear()
      reach.forget()
    },
  }
}
