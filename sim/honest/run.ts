// One honest world: a client sends about one transaction a block and takes every third back, and the run notes for how long the service
// got nowhere with any of them.
import { receiver, taggedData } from '../chain/transaction.ts'
import type { Row } from '../check/row.ts'
import { keepMining } from '../mining.ts'
import { openService } from '../open-service.ts'
import { openWorld } from '../open-world.ts'
import type { Disk } from '../process/database.ts'
import { epochMs } from '../process/engine.ts'
import { drawnUsually, featureNames } from '../scenario/features.ts'
import { gwei } from '../scenario/policies.ts'
import type { Service } from '../service.ts'
import type { World } from '../world.ts'
import type { HonestWorld } from './worlds.ts'

export interface HonestRun {
  readonly failure: string | undefined
  /** The longest time in which something was open, and no transaction came nearer to its end. */
  readonly stillMs: number
  /** For each transaction that has an inclusion: from its send, or its DELETE, to the block. */
  readonly delaysMs: readonly number[]
  /** The longest time from the block to the end of its transaction: its confirmations, and what the service needs to see them. */
  readonly endMs: number
}

const none = { ...drawnUsually, ...Object.fromEntries(featureNames.map((name) => [name, 0])) }
/** After the last send everything has to end within so many blocks, and on fast chains within this time. */
const endBlocks = 100
const endMs = 180_000
/** A client does something at each block, and not more often than this. */
const tradeMs = 1_000

export async function runHonest(
  disk: Disk,
  seed: number,
  honest: HonestWorld,
  print?: (line: string) => void,
): Promise<HonestRun> {
  const world = openWorld(seed, disk, print, none, () => honest.scenario)
  const { timeline, blocks, history, state } = world
  const service = openService(world)
  const progress = watchProgress(world)
  state.faulty = false
  keepMining(world)
  service.start()
  await timeline.rest()
  try {
    let height = 0
    let tradedAt = Number.NEGATIVE_INFINITY
    const last = honest.blocks + Math.max(endBlocks, endMs / honest.scenario.blocktimeMs)
    const isDone = () => height >= honest.blocks && openOf(world).length === 0
    while (!history.failure() && !isDone()) {
      if (height > last) history.fail(`${openOf(world).length} transactions have not ended in block ${last}`)
      await timeline.next()
      world.look()
      progress.look()
      const { number } = blocks.canonical()
      if (number === height) continue
      height = number
      honest.afterBlock?.(world, number)
      if (number >= honest.blocks || timeline.now() - tradedAt < tradeMs) continue
      tradedAt = timeline.now()
      trade(world, service)
    }
  } finally {
    service.close()
    await timeline.rest()
  }
  return {
    failure: history.failure(),
    stillMs: progress.stillMs(),
    delaysMs: delaysOf(world),
    endMs: longestEnd(world),
  }
}

function openOf({ rows }: World): readonly Row[] {
  return [...rows.all().values()].filter(({ open }) => open === 1)
}

function trade(world: World, service: Service): void {
  const { dice, clients } = world
  const open = openOf(world).filter(({ canceled_at: canceledAt, phase }) => canceledAt === null && phase !== 'mined')
  const last = open.at(-1)
  if (last && dice.chance(0.3)) {
    service.cancel(0, last.id)
    return
  }
  const tag = clients.nextTag
  clients.nextTag += 1
  const pricing = { kind: 'speed', speed: 'average' } as const
  const request = { to: receiver, value: gwei, data: taggedData(tag), pricing } as const
  clients.requests.set(tag, request)
  service.send(0, tag, request)
}

/** Nearer to an end: another phase or status, another block, or confirmed. */
function watchProgress(world: World) {
  const known = new Map<string, string>()
  let commits = -1
  let since: number | undefined
  let stillMs = 0

  return {
    stillMs: () => stillMs,
    look() {
      const now = world.timeline.now()
      if (since !== undefined) stillMs = Math.max(stillMs, now - since)
      if (commits === world.machine.disk.commits) return
      commits = world.machine.disk.commits
      let moved = false
      for (const row of world.rows.all().values()) {
        const sign = `${row.status} ${row.phase} ${row.nonce} ${row.included_block_hash} ${row.confirmed_at} ${row.open}`
        if (known.get(row.id) !== sign) moved = true
        known.set(row.id, sign)
      }
      const isOpen = openOf(world).length > 0
      if (!isOpen) since = undefined
      else if (moved || since === undefined) since = now
    },
  }
}

function delaysOf({ blocks, rows }: World): readonly number[] {
  return [...rows.all().values()].flatMap(({ included_block_hash: hash, created_at: at, canceled_at: canceledAt }) => {
    const block = hash === null ? undefined : blocks.byHash(hash)
    if (!block) return []
    return [Math.max(0, block.timestampSeconds * 1_000 - Math.max(canceledAt ?? at, epochMs))]
  })
}

function longestEnd({ blocks, rows }: World): number {
  const ends = [...rows.all().values()].flatMap(({ included_block_hash: hash, ended_at: endedAt }) => {
    const block = hash === null ? undefined : blocks.byHash(hash)
    return block && endedAt !== null ? [endedAt - block.timestampSeconds * 1_000] : []
  })
  return Math.max(0, ...ends)
}
