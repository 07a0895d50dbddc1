// Two endpoints; one loses every second answer and is five blocks behind: everything settles, and at no moment
// does the API show a false verdict. Nothing here reorganizes, so every shown fact must stay one.
//
//   CHAOS=full vitest run test/chaos/two-endpoints.test.ts     for ten times as long
//   CHAOS_SEED=N                                               the same dice again; a failure prints its seed
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { dice } from '../../tooling/dice.ts'
import { poolOf } from '../../tooling/ledger.ts'
import { spendBehindItsBack } from '../e2e/support/foreign.ts'
import { inPool, noOpInPool } from '../e2e/support/play.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { alarmsIn, holdAll } from './support/hold.ts'
import { type LaggingNode, startLaggingNode } from './support/lagging-node.ts'
import { full, report, seed, seeded } from './support/size.ts'
import { noTraffic, tryCancel, tryCancelPending, trySend } from './support/traffic.ts'
import { watch } from './support/witness.ts'

const requiredConfirmations = 3
const size = { lagBlocks: 5, roundMs: full ? 15_000 : 3_000, rounds: full ? 6 : 2, cutMs: full ? 8_000 : 2_500 }

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

test('all settles, and no answer is ever false', { timeout: 900_000 }, () =>
  seeded(async () => {
    const chance = dice(seed, 'traffic')
    const traffic = noTraffic()
    const senders = ['wide', 'narrow', 'shared'].map(stage.sender)
    const shared = stage.sender('shared')
    const foreignHashes = new Set<string>()

    const witness = watch(stage, traffic)

    // One that is certainly won, before blocks come by themselves.
    await trySend(stage, traffic, shared, chance)
    await inPool(stage, shared, [0])
    await tryCancel(stage, traffic, chance)
    const [first] = traffic.sent
    if (first) await noOpInPool(stage, { ...first, value: 0n })

    let raining = true
    const mining = dice(seed, 'mining')
    const miner = (async () => {
      while (raining) {
        await sleep(mining.between(100, 600))
        await stage.node.mine()
      }
    })()

    async function actFor(ms: number): Promise<void> {
      const end = performance.now() + ms
      while (performance.now() < end) {
        const what = chance.weighted({ send: 20, cancel: 14, bulk: 0.3, foreign: 2 })
        if (what === 'send') await trySend(stage, traffic, chance.pick(senders), chance)
        else if (what === 'cancel') await tryCancel(stage, traffic, chance, 5)
        else if (what === 'bulk') await tryCancelPending(stage, traffic, chance.pick(senders))
        else {
          const [nonce] = [...(await poolOf(stage.node, shared.address)).keys()].sort((one, other) => one - other)
          // A block may come first.
          const spent = nonce === undefined ? undefined : spendBehindItsBack(stage.node, shared, nonce)
          const hash = await spent?.catch(() => undefined)
          if (hash !== undefined) foreignHashes.add(hash)
        }
        await sleep(chance.below(150))
      }
    }

    for (let round = 0; round < size.rounds; round += 1) {
      await actFor(size.roundMs)
      // Now and then the other one loses an answer, too, and the one behind gets calls about blocks that it lacks.
      const losing = dice(seed, `losing ${round}`)
      stage.line.onRequest(() => ({ do: losing.chance(0.25) ? 'forwardAndDrop' : 'forward' }))
      await actFor(size.roundMs)
      // Only the one behind is left, for long enough that its word on the head is believed.
      await stage.line.cut()
      await actFor(size.cutMs)
      await stage.line.mend()
    }
    await actFor(size.roundMs)
    raining = false
    await miner

    const outcome = await holdAll(stage, senders, traffic, foreignHashes)
    await witness.stop()
    await witness.testify(requiredConfirmations)
    const { answered, lost, behind } = laggard
    const { bulks, refused } = traffic
    const reported = { ...size, sent: traffic.sent.length, canceled: traffic.canceled.size, bulks, refused }
    report({ ...reported, witnessed: witness.answers, laggard: { answered, lost, behind }, ...outcome })
    expect(traffic.unanswered, 'the API answers, whatever the nodes do').toBe(0)
    expect(alarmsIn(stage.service.logs()), 'errors in the log').toEqual([])
    for (const times of [answered, lost, behind, outcome.executed]) expect(times).toBeGreaterThan(0)
    expect(Object.keys(outcome.verdicts)).toEqual(expect.arrayContaining(['won']))
  }),
)
