// A backup: the database is copied, and some time later, with the service stopped, the copy replaces it. The chain does not go
// back with it, and neither do the pools: transactions that were sent meanwhile are there without a record.
import { accountAt } from './chain/blocks.ts'
import { nextNonce } from './chain/pool.ts'
import { tagsOf } from './chain/transaction.ts'
import type { Row } from './check/row.ts'
import type { Clients } from './clients.ts'
import { follow } from './mining.ts'
import type { Copy } from './process/database.ts'
import type { Restore } from './scenario/scenario.ts'
import type { Service } from './service.ts'
import type { World } from './world.ts'

export interface Backup {
  readonly disk: Copy
  /** The number of database transactions before the copy. */
  readonly position: number
  readonly accepted: Clients['accepted']
  readonly replaced: Clients['replaced']
  readonly deleted: Clients['deleted']
}

/** The service is down for at least this long, in milliseconds: longer than any request is under way. */
const downMsMin = 60_000
/** The service is down for at most this long, in milliseconds: a wrong block time must not lead back before the copy. */
const downMsMax = 1_800_000
const downBlocks = 300

export function downMs({ isLong }: Restore, blocktimeMs: number): number {
  return isLong ? Math.min(downMsMax, Math.max(downMsMin, downBlocks * blocktimeMs)) : downMsMin
}

export function backUp({ machine, clients, history, state }: World): Backup {
  history.note('--- the disk is copied ---')
  return {
    disk: machine.disk.copy(),
    position: state.position,
    accepted: new Map(clients.accepted),
    replaced: [...clients.replaced],
    deleted: new Map(clients.deleted),
  }
}

/** Cancels transactions that are open in the copy, each once a node may have it: the copy will lack the verdicts. */
export function takeBackLater({ rows, clients, dice, timeline, scenario, state }: World, service: Service): void {
  for (const [id, { relayer }] of clients.accepted) {
    if (rows.all().get(id)?.open !== 1 || dice.chance(0.4)) continue
    let checks = 0
    const look = () => {
      const row = rows.all().get(id)
      checks += 1
      if (row?.open !== 1 || row.canceled_at !== null || state.restoredAt <= state.position || checks > checksMax)
        return
      if (row.phase === 'inFlight') service.cancel(relayer, id)
      else timeline.after(scenario.blocktimeMs / 2, look)
    }
    timeline.after(dice.below(scenario.blocktimeMs), look)
  }
}

const checksMax = 200

/** A PUT repeats a payload that was canceled for good before a restore: its client wants it executed again. */
export function wantAgain({ wonBefore }: Pick<World, 'wonBefore'>, tag: number): void {
  wonBefore.delete(tag)
}

/** Replaces the database by the copy. The service is stopped, and none of its requests is under way. */
export function restore(world: World, service: Service, backup: Backup): void {
  const { machine, clients, history, bytes, rows, nodes, state } = world
  for (const row of rows.all().values()) {
    if (isWon(row)) for (const tag of tagsOf(row)) world.wonBefore.add(tag)
    if (row.cancel_origin === 'refusal' || row.cancel_origin === 'expiry') world.givenUp.add(row.id)
  }
  machine.disk.putBack(backup.disk)
  // Answers after the copy was made are void.
  for (const name of ['accepted', 'deleted'] as const) {
    clients[name].clear()
    for (const [id, value] of backup[name] as Map<string, never>) clients[name].set(id, value)
  }
  clients.replaced.splice(0, clients.replaced.length, ...backup.replaced)
  const isOfAnotherBranch = backup.position < state.restoredAt && state.restoredAt < state.position
  state.restores += 1
  state.restoredAt = Math.min(state.restoredAt, state.position)
  for (const node of nodes) {
    node.lags = false
    follow(world, node)
  }
  const lost = bytes.forget()
  world.marks.restored(lost.length)
  world.lost.clear()
  for (const transaction of lost) {
    world.lost.add(transaction.hash)
    world.bids.foreign(transaction)
  }
  const before = new Map(rows.all())
  rows.forget()
  world.gapFillers.forget()
  world.holds.forget()
  world.verdicts.forget()
  world.costBounds?.forget()
  world.bulkTerms?.forget()
  world.labels.forget()
  world.tips.forget()
  world.patience?.forget()
  for (const address of world.addresses) world.funds.moved(address, world.blocks.canonical().number)
  share(world)
  history.note(`--- the copy is put back: ${lost.length} broadcasts are forgotten ---`)
  // Between them another copy ran, which sent a transaction of this one once more, for a payload that a PUT had replaced: it
  // did not have the PUT.
  if (isOfAnotherBranch) {
    const stored = machine.disk.committed<[], Pick<Row, 'id' | 'nonce'>>('SELECT id, nonce FROM transactions')
    for (const { id, nonce } of stored()) if (isSentTwice(nonce, before.get(id))) world.revived.add(id)
  }
  // No commit reports the restored rows.
  rows.look()
  world.look()
  // The other branch also gave nonces of this branch's transactions to others, and canceled those.
  if (isOfAnotherBranch) {
    for (const row of rows.all().values()) if (sharesItsNonce(row, before)) world.givenUp.add(row.id)
  }
  for (const [id, row] of before) if (leavesNoTrace(row) && rows.all().get(id)?.open === 1) world.revived.add(id)
  service.start()
}

/** A verdict that no restore may undo: its client may have sent the payload again. */
function isWon({ phase, included_kind: kind }: Row): boolean {
  return phase === 'final' && kind === 'cancel'
}

/** It ended, or was canceled, and no block shows it, so that an earlier copy cannot learn it. */
function leavesNoTrace({ phase, canceled_at: canceledAt }: Row): boolean {
  return phase === 'dropped' || (canceledAt !== null && phase !== 'final')
}

function isSentTwice(nonce: number | null, other: Row | undefined): boolean {
  return nonce !== null && other !== undefined && other.nonce !== null && other.nonce !== nonce
}

function sharesItsNonce({ id, relayer_id: relayer, nonce }: Row, before: ReadonlyMap<string, Row>): boolean {
  if (nonce === null) return false
  return [...before.values()].some((each) => each.id !== id && each.relayer_id === relayer && each.nonce === nonce)
}

/** Copies the next transactions of each pool to all pools, which had the time for it. */
function share({ nodes, addresses, blocks, dice }: World): void {
  for (const address of addresses) {
    if (dice.chance(0.3)) continue
    let { nonce } = accountAt(blocks.canonical(), address)
    for (;;) {
      const held = nodes.flatMap(({ pool }) => pool.bySender.get(address)?.get(nonce) ?? [])
      const [first] = held
      if (!first) break
      for (const { pool } of nodes) {
        const of = pool.bySender.get(address) ?? new Map()
        pool.bySender.set(address, of.set(nonce, of.get(nonce) ?? first))
      }
      nonce += 1
    }
  }
}

/** Lost bytes that one pool has dropped are dropped by all: the service could never find them again. */
export function dropUnseen({ lost, nodes }: World): void {
  if (lost.size === 0) return
  for (const node of nodes) {
    for (const [address, held] of node.pool.bySender) {
      const seen = Math.min(...nodes.map(({ pool, head }) => nextNonce(pool, head, address)))
      for (const { hash, nonce } of held.values()) if (lost.has(hash) && nonce >= seen) held.delete(nonce)
    }
    node.pool.tracked = node.pool.tracked.filter(({ hash }) => !lost.has(hash))
  }
}
