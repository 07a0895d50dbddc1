// By each replica that advances relayers: stores what it sees of its nodes, so that any replica shows it without a call to a node.
// Steps do not wait for it.
import { type NetworkNodes, type NodeView, nodeReportKeptMs, nodeReportUnchangedMs } from '../domain/node-report.ts'
import type { Clock } from '../ops/clock.ts'
import { inRounds } from '../ops/in-rounds.ts'
import type { Logger } from '../ops/logger.ts'
import type { Store } from '../store/store.ts'

/** The endpoints of a network, or of a relayer with endpoints of its own. */
export interface NodesToRecord extends Omit<NetworkNodes, 'nodes'> {
  readonly chain: { nodes(): readonly NodeView[]; lookAtNodes(): Promise<void> }
}

interface RecordNodes {
  readonly store: Pick<Store, 'commit'>
  readonly clock: Clock
  readonly logger: Logger
  /** The id of this replica's row. */
  readonly replica: string
  /** The nodes of the relayers that this replica advances. */
  readonly toRecord: () => readonly NodesToRecord[]
}

const firstMs = 2_000
const usualMs = 10_000
const pruneMs = 60_000

/** A replica that advances no relayer writes nothing. Disposing removes the row. */
export function recordNodes({ store, clock, logger, replica, toRecord }: RecordNodes): AsyncDisposable {
  let dueAt = clock.elapsed() + firstMs
  let prunedAt = Number.NEGATIVE_INFINITY
  let written: { readonly text: string; readonly at: number } | undefined

  async function write(networks: readonly NetworkNodes[]): Promise<void> {
    const text = JSON.stringify(networks)
    const now = clock.elapsed()
    if (text === written?.text && now - written.at < nodeReportUnchangedMs) return
    const readAt = clock.now()
    const prunes = now - prunedAt >= pruneMs
    await store.commit(async (session) => {
      await session.recordNodes({ replica, readAt, networks })
      if (prunes) await session.pruneNodes(readAt - nodeReportKeptMs)
    })
    written = { text, at: now }
    if (prunes) prunedAt = now
  }

  async function remove(): Promise<void> {
    if (!written) return
    await store.commit((session) => session.removeNodes(replica))
    written = undefined
  }

  async function round(): Promise<void> {
    const all = toRecord()
    // Its results are in a later row: a node that is silent delays none.
    for (const { chain } of all) void chain.lookAtNodes()
    if (clock.elapsed() < dueAt) return
    if (all.length === 0) await remove()
    else await write(all.map(({ chain, ...of }) => ({ ...of, nodes: chain.nodes() })))
    // Only then: a round without a write would count as the end of an outage.
    dueAt = clock.elapsed() + usualMs
  }

  const lines = {
    began: 'what this replica sees of its nodes could not be stored; trying again',
    over: 'what this replica sees of its nodes is stored again',
  }
  return inRounds({ clock, logger, everyMs: 1_000, lines, round, end: remove })
}
