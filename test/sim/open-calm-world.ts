// A world of the simulator without faults, in which every request takes the same time to its answer. Nothing else takes time but the
// engine's own waits, so a time is a number of rounds: answers that were awaited one after the other.

import { accountAt } from '../../sim/chain/blocks.ts'
import { profiles } from '../../sim/chain/profiles.ts'
import type { ReceiptHabits } from '../../sim/chain/receipts.ts'
import { ethereum } from '../../sim/chain/sequencer.ts'
import { decode, isNoOp, receiver, type SimTransaction, taggedData } from '../../sim/chain/transaction.ts'
import { mine } from '../../sim/mining.ts'
import { type Call, isSend } from '../../sim/network.ts'
import { openService } from '../../sim/open-service.ts'
import { openWorld } from '../../sim/open-world.ts'
import { allAnswered } from '../../sim/outcomes.ts'
import { oneEvent, until } from '../../sim/pass-time.ts'
import type { Disk } from '../../sim/process/database.ts'
import { type Drawn, featureNames } from '../../sim/scenario/features.ts'
import { gwei } from '../../sim/scenario/policies.ts'
import type { Scenario } from '../../sim/scenario/scenario.ts'
import type { World } from '../../sim/world.ts'
import type { Hex } from '../../src/domain/ids.ts'
import type { SendRequest } from '../../src/domain/submit.ts'

export const roundTripMs = 200

export interface Setting {
  readonly blocktimeMs: number
  /** Undefined: the service finds its window out by itself. */
  readonly maxInFlight: number | undefined
  readonly endpoints: number
  readonly confirmations: number
  /** The default is `roundTripMs`. */
  readonly roundTripMs?: number
  /** The most that a block takes. Absent: any number. */
  readonly perBlockMax?: number
  /** The key is in a service that makes one signature at a time, each in so many milliseconds. Absent: it is in memory. */
  readonly signatureMs?: number
}

export const longBlocks: Setting = { blocktimeMs: 12_000, maxInFlight: 256, endpoints: 1, confirmations: 2 }
/** A block for each round. */
export const shortBlocks: Setting = { ...longBlocks, blocktimeMs: roundTripMs }

/** Signed bytes that left for a node. */
export interface Sent {
  readonly atMs: number
  readonly transaction: SimTransaction
  readonly isNoOp: boolean
}

export type CalmWorld = Awaited<ReturnType<typeof openCalmWorld>>

export async function openCalmWorld(disk: Disk, setting: Setting) {
  const featureless = Object.fromEntries(featureNames.map((name) => [name, 0])) as unknown as Drawn
  const world = openWorld(1, disk, undefined, featureless, (drawn) => calm(drawn, setting))
  const { timeline, network, state, clients, history, nodes } = world
  const receipts: ReceiptHabits = { omits: [], lateBlocks: 0, ofBlocks: 'all' }
  for (const node of nodes) Object.assign(node, { refusesCode: false, receipts })
  const leaving = recordLeaving(world)
  const service = openService(world)
  state.faulty = false
  state.calmFromMs = 0
  network.isPrompt = true
  network.batchLimits.fill(undefined)
  service.start()
  mineSteadily()
  await pass(0)

  function mineSteadily(): void {
    timeline.after(setting.blocktimeMs, () => {
      mine(world)
      mineSteadily()
    })
  }

  async function pass(ms: number): Promise<void> {
    await timeline.rest()
    await until(world, timeline.now() + ms)
    if (history.failure() !== undefined) throw new Error(history.failure())
  }

  function requestOf(wanted: Partial<SendRequest>): { tag: number; request: SendRequest } {
    const tag = clients.nextTag
    clients.nextTag += 1
    const request: SendRequest = {
      ...{ to: receiver, value: 1n, data: taggedData(tag), pricing: { kind: 'speed', speed: 'fast' } },
      ...wanted,
    }
    clients.requests.set(tag, request)
    return { tag, request }
  }

  return {
    ...{ setting, pass, nowMs: timeline.now },
    /** No transaction is open. */
    async passUntilIdle(): Promise<void> {
      const isOpen = () => [...world.rows.all().values()].some(({ open }) => open === 1)
      // What was sent just now is no row yet.
      await pass(setting.blocktimeMs)
      for (let blocks = 1; isOpen(); blocks += 1) {
        if (blocks > 100) throw new Error('a transaction does not end')
        await pass(setting.blocktimeMs)
      }
    },
    /** The next look at a new block has just begun. */
    async passUntilLook(): Promise<void> {
      const before = leaving.looks
      while (leaving.looks === before) await oneEvent(world)
    },
    /** Returns the id of the transaction. */
    async post(wanted: Partial<SendRequest>): Promise<string> {
      const { tag, request } = requestOf(wanted)
      service.send(0, tag, request)
      await pass(0)
      const [id] = [...clients.accepted].findLast(([, each]) => each.tag === tag) ?? []
      if (id === undefined) throw new Error('the send was not accepted')
      return id
    },
    async postMany(count: number, wanted: Partial<SendRequest>): Promise<void> {
      for (let left = count; left > 0; left -= 1) {
        const { tag, request } = requestOf(wanted)
        service.send(0, tag, request)
      }
      await pass(0)
    },
    minedCount: () => accountAt(world.blocks.canonical(), world.addresses[0] ?? '').nonce,
    /** How many nonces have left. */
    sentCount: () => 1 + (leaving.sent.at(-1)?.transaction.nonce ?? -1),
    async replace(id: string, wanted: Partial<SendRequest>): Promise<void> {
      const { tag, request } = requestOf(wanted)
      service.replace(0, id, tag, request)
      await pass(0)
    },
    async cancel(id: string): Promise<void> {
      service.cancel(0, id)
      await pass(0)
    },
    async cancelPending(): Promise<void> {
      service.cancelPending(0)
      await pass(0)
    },
    /** The rounds from `sinceMs` until such bytes for `count` nonces have left. */
    async roundsUntilSent(sinceMs: number, count: number, isOne: (each: Sent) => boolean): Promise<number> {
      const leftAt = () => {
        const first = new Map<number, number>()
        for (const each of leaving.sent) {
          const { nonce } = each.transaction
          if (each.atMs >= sinceMs && isOne(each) && !first.has(nonce)) first.set(nonce, each.atMs)
        }
        return [...first.values()]
      }
      while (leftAt().length < count) {
        if (timeline.now() - sinceMs > 200 * roundTripMs) throw new Error(`only ${leftAt().length} of ${count} leave`)
        await pass(roundTripMs / 4)
      }
      return (Math.max(...leftAt()) - sinceMs) / roundTripMs
    },
    async close(): Promise<void> {
      service.close()
      await timeline.rest()
    },
  }
}

interface Leaving {
  readonly sent: Sent[]
  /** Requests that read the fees, as each look at a new block does. */
  looks: number
}

/** Notes the requests of processes that start from now on. */
function recordLeaving({ network, timeline }: World): Leaving {
  const leaving: Leaving = { sent: [], looks: 0 }
  const open = network.transport
  network.transport = (instance) => (options) => {
    const transport = open(instance)(options)
    return {
      ...transport,
      post(body, ...rest) {
        const calls = [JSON.parse(body)].flat() as readonly Call[]
        if (calls.some(({ method }) => method === 'eth_feeHistory')) leaving.looks += 1
        for (const { params } of calls.filter(isSend)) {
          const transaction = decode(params[0] as Hex)
          leaving.sent.push({ atMs: timeline.now(), transaction, isNoOp: isNoOp(transaction) })
        }
        return transport.post(body, ...rest)
      },
    }
  }
  return leaving
}

/** Nothing that was drawn remains, but what no fault needs. */
function calm(drawn: Scenario, setting: Setting): Scenario {
  const { blocktimeMs, maxInFlight, endpoints, confirmations } = setting
  const indexes = Array.from({ length: endpoints }, (_, index) => index)
  const [geth] = profiles
  if (geth === undefined) throw new Error('there is no profile')
  return {
    ...drawn,
    ...{ blocktimeMs, configuredBlocktimeMs: blocktimeMs, reorgMax: 0, confirmations, relayers: 1 },
    ...{ kind: ethereum, eip1559: true, resurfacing: 0, restores: [], replicas: undefined, operator: undefined },
    // So many that chance leaves none out.
    transactionsPerBlockMax: setting.perBlockMax ?? 1_000_000_000,
    profiles: indexes.map(() => ({ ...geth, senderSlots: 10_000 })),
    latenciesMs: indexes.map(() => (setting.roundTripMs ?? roundTripMs) / 2),
    gaps: { pendingCounts: indexes.map(() => 'pool'), tightGapFillers: 0 },
    policies: { maxInFlight, gasPriceCap: undefined, paused: [false, false], others: {} },
    fees: { ...drawn.fees, firstBaseFee: 10n * gwei, balance: 10n ** 24n, finalBalance: 10n ** 24n },
    sendOutcomeOdds: allAnswered,
    ...(setting.signatureMs !== undefined && { signatureMs: setting.signatureMs }),
    signerChanges: setting.signatureMs === undefined ? undefined : 0,
    ...{ custody: undefined, presign: undefined, liar: undefined, brokenEnd: undefined },
  }
}
