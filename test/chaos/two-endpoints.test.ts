// Two endpoints, of which one loses every second answer and is five blocks behind: everything settles, and at no moment
// does the API show a verdict that is not true. Nothing here reorganises, so whatever was shown as a fact must be one.
//
//   CHAOS=full vitest run test/chaos/two-endpoints.test.ts     for ten times as long
//   CHAOS_SEED=N                                               the same dice again; a failure prints its seed
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dice } from '../../sim/dice.ts'
import { poolOf } from '../e2e/support/ledger.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { spendBehindItsBack } from '../e2e/support/stranger.ts'
import type { Anvil } from '../support/anvil.ts'
import { alarmsIn, holdAll } from './support/hold.ts'
import { type LaggingNode, startLaggingNode } from './support/lagging-node.ts'
import { full, seed, seeded, tell } from './support/size.ts'
import { noTraffic, tryCancel, tryCancelPending, trySend } from './support/traffic.ts'
import { watch } from './support/witness.ts'

const requiredConfirmations = 3
const size = { lagBlocks: 5, roundMs: full ? 30_000 : 5_000, rounds: full ? 5 : 2, cutMs: full ? 8_000 : 2_500 }

let stage: Stage<Anvil>
let laggard: LaggingNode
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations,
    relayers: { wide: {}, narrow: { max_in_flight: 3 }, shared: { max_in_flight: 4 } },
    endpoints: async ({ node, line }) => {
      laggard = await startLaggingNode(node, size.lagBlocks)
      return [laggard.url, line]
    },
  })
  await stage.node.mine(8)
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await laggard?.[Symbol.asyncDispose]()
})

test('all settles, and no answer ever shows what is not so', { timeout: 900_000 }, () =>
  seeded(async () => {
    const chance = dice(seed, 'traffic')
    const traffic = noTraffic()
    const senders = ['wide', 'narrow', 'shared'].map(stage.sender)
    const shared = stage.sender('shared')
    const strangers = new Set<string>()

    let raining = true
    const mining = dice(seed, 'mining')
    const miner = (async () => {
      while (raining) {
        await sleep(mining.between(50, 400))
        await stage.node.mine()
      }
    })()
    const witness = watch(stage, traffic)

    async function actFor(ms: number): Promise<void> {
      const end = performance.now() + ms
      while (performance.now() < end) {
        const what = chance.weighted({ send: 20, cancel: 12, bulk: 0.4, stranger: 1.5 })
        if (what === 'send') await trySend(stage, traffic, chance.pick(senders), chance)
        else if (what === 'cancel') await tryCancel(stage, traffic, chance, 15)
        else if (what === 'bulk') await tryCancelPending(stage, traffic, chance.pick(senders))
        else {
          const [nonce] = [...(await poolOf(stage.node, shared.address)).keys()].sort((one, other) => one - other)
          // A block may come first.
          const spent = nonce === undefined ? undefined : spendBehindItsBack(stage.node, shared, nonce)
          const hash = await spent?.catch(() => undefined)
          if (hash !== undefined) strangers.add(hash)
        }
        await sleep(chance.below(200))
      }
    }

    for (let round = 0; round < size.rounds; round += 1) {
      await actFor(size.roundMs)
      // Only the one behind is left, for long enough that its word on the head is believed.
      await stage.line.cut()
      await actFor(size.cutMs)
      await stage.line.mend()
    }
    await actFor(size.roundMs / 2)
    raining = false
    await miner

    const outcome = await holdAll(stage, senders, traffic, strangers)
    await witness.stop()
    await witness.testify(requiredConfirmations)
    expect(traffic.unanswered, 'the API answers, whatever the nodes do').toBe(0)
    expect(alarmsIn(stage.service.logs()), 'errors in the log').toEqual([])
    const { answered, lost, behind } = laggard
    for (const times of [answered, lost, behind, outcome.executed]) expect(times).toBeGreaterThan(0)
    expect(Object.keys(outcome.verdicts)).toEqual(expect.arrayContaining(['dropped', 'lost', 'won']))
    const { bulks, refused } = traffic
    const told = { ...size, sent: traffic.sent.length, canceled: traffic.canceled.size, bulks, refused }
    tell({ ...told, witnessed: witness.answers, laggard: { answered, lost, behind }, ...outcome })
  }),
)
