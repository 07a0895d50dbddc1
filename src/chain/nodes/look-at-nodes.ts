// Reads the head of endpoints that nothing else reads: those of an idle network, and those that serve only while no other answers.
import { type NodeReason, type NodeView, withLag } from '../../domain/node-report.ts'
import type { Clock } from '../../ops/clock.ts'
import type { BranchHolder } from '../chain.ts'
import type { Endpoint } from './endpoint.ts'
import { readNamed } from './read-block.ts'

interface LookAtNodes {
  readonly all: readonly Endpoint[]
  readonly heads: { current(): Promise<unknown>; split(): readonly BranchHolder[] }
  readonly pace: { ms(): number }
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
}

/** Pause between looks, the same as for idle relayers. */
const usualMs = 300_000
/** An endpoint that showed no head is looked at sooner. */
const silentMs = 60_000

export function lookingAtNodes({ all, heads, pace, clock }: LookAtNodes) {
  const lookedAt = new Map<Endpoint, number>()

  function isDue(endpoint: Endpoint): boolean {
    const readAt = endpoint.view().head?.readAt
    const last = lookedAt.get(endpoint)
    const isRecent = readAt !== undefined && clock.now() - readAt < usualMs
    return !isRecent && (last === undefined || clock.elapsed() - last >= silentMs)
  }

  async function look(endpoint: Endpoint): Promise<void> {
    if ((await endpoint.ready()) === undefined) await readNamed(endpoint, 'latest')
  }

  return {
    async lookAtNodes(): Promise<void> {
      const due = all.filter(isDue)
      if (due.length === 0) return
      for (const endpoint of due) lookedAt.set(endpoint, clock.elapsed())
      // The head that is believed comes first: by it, that of each endpoint is judged.
      await heads.current().catch(() => undefined)
      await Promise.all(due.map(look))
    },
    nodes(): readonly NodeView[] {
      const split = heads.split()
      return all.map((endpoint) => {
        const view = withLag(endpoint.view(), pace.ms())
        const differs = split.filter((each) => each.endpoint === endpoint.index).map(splitReason)
        return differs.length === 0 ? view : { ...view, reasons: [...differs, ...view.reasons] }
      })
    },
  }
}

function splitReason({ head: { number, hash } }: BranchHolder): NodeReason {
  return { condition: 'branches_differ', facts: { block: number, hash } }
}
