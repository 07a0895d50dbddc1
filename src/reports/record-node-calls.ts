// By each replica: stores how many calls it made to the nodes of each network, twice a minute. A crash loses half a minute of them at most.
import { periodOf } from '../domain/figures.ts'
import type { Clock } from '../ops/clock.ts'
import { type CallCounts, countCalls } from '../ops/count-calls.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

interface RecordNodeCalls {
  readonly store: Pick<Store, 'commit'>
  readonly clock: Clock
  readonly logger: Logger
}

const everyMs = 30_000

type RecordedCalls = AsyncDisposable & Pick<CallCounts, 'counting'>

export function recordNodeCalls({ store, clock, logger }: RecordNodeCalls): RecordedCalls {
  const counts = countCalls()

  async function round(): Promise<void> {
    const taken = counts.take()
    if (taken.size === 0) return
    // In one order for all processes: each holds the rows that it has changed.
    const sorted = [...taken].sort(([one], [other]) => (one < other ? -1 : 1))
    const at = periodOf(clock.now())
    try {
      await store.commit(async (session) => {
        for (const [network, each] of sorted) await session.addNodeCalls(network, { at, ...each })
      })
    } catch (error) {
      counts.giveBack(taken)
      throw error
    }
  }

  const lines = {
    began: 'the number of calls to nodes could not be stored; trying again',
    over: 'the number of calls to nodes is stored again',
  }
  const rounds = inRounds({ clock, logger, everyMs, lines, round, end: round })
  return { counting: counts.counting, [Symbol.asyncDispose]: () => rounds[Symbol.asyncDispose]() }
}
