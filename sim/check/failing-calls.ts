// Once the faults have stopped: a call that every node fails to estimate, in words of no table, ends soon after it is first of its queue
// with nothing of its account in flight, so that those behind it go on.
import { brokenContract } from '../chain/failing-estimates.ts'
import type { World } from '../world.ts'
import type { Row } from './row.ts'

/** A minute of like words, and answers that are late. */
export const failingCallMs = 90_000

export function isFailingCall({ to_address: to, gas_limit: gasLimit, open, phase, canceled_at: taken }: Row): boolean {
  return open === 1 && phase === 'queued' && taken === null && to === brokenContract && gasLimit === null
}

export interface FailingCalls {
  /** Called after each event. */
  look(): void
}

export function watchFailingCalls({ rows, timeline, history, scenario }: World): FailingCalls {
  /** By relayer: the call that is first, and since when. */
  const firsts = new Map<string, { readonly id: string; readonly sinceMs: number }>()

  /** Without a further reason to wait. */
  function isDue([first, ...others]: readonly Row[]): boolean {
    if (!first || !isFailingCall(first) || others.some(({ phase }) => phase === 'inFlight')) return false
    return first.wait_condition === null || first.wait_condition === 'gas_unknown'
  }

  return {
    look() {
      if (!scenario.estimates || scenario.brokenEnd) return
      const open = [...rows.all().values()].filter((row) => row.open === 1 && row.phase !== 'held')
      for (const [relayer, of] of Map.groupBy(open, ({ relayer_id: id }) => id)) {
        const queue = of.toSorted(
          (one, other) =>
            Number(one.phase !== 'queued') - Number(other.phase !== 'queued') || one.sequence - other.sequence,
        )
        const [first] = queue
        const last = firsts.get(relayer)
        if (!first || !isDue(queue)) firsts.delete(relayer)
        else if (last?.id !== first.id) firsts.set(relayer, { id: first.id, sinceMs: timeline.now() })
        else if (timeline.now() - last.sinceMs > failingCallMs)
          history.fail(`${first.id.slice(-6)} can't be estimated, is first, and has not ended: ${first.wait_facts}`)
      }
    },
  }
}
