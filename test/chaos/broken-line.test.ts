// Between service and node a TCP proxy stalls, cuts in the middle of requests and answers, comes late by more than the
// service waits, and says garbage: nothing is lost, nothing executes twice, and every verdict is true.
//
//   CHAOS=full vitest run test/chaos/broken-line.test.ts     five minutes of it, answers late by up to 30 s
//   CHAOS_SEED=N                                             the same dice again; a failure prints its seed
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { dice } from '../../tooling/dice.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { alarmsIn, holdAll } from './support/hold.ts'
import { full, report, seed, seeded } from './support/size.ts'
import { startTcpProxy, type TcpProxy, type Weather } from './support/tcp-proxy.ts'
import { noTraffic, tryCancel, tryCancelPending, trySend } from './support/traffic.ts'
import { fair, late, silent, storm, unheard } from './support/weather.ts'

/** The service gives an answer up after ten seconds. */
const size = full
  ? { stormMs: 200_000, delayMaxMs: 30_000, stalls: 0.7, lateMs: 30_000, actions: 1_000 }
  : { stormMs: 10_000, delayMaxMs: 2_000, stalls: 0, lateMs: 11_000, actions: 120 }

let stage: Stage<Anvil>
let proxy: TcpProxy
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { wide: {}, narrow: { max_in_flight: 3 } },
    endpoints: async ({ node }) => {
      proxy = await startTcpProxy(node)
      return [proxy.url]
    },
  })
})
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
})

test('a storm on the line, and then silence for longer than anybody waits', { timeout: 900_000 }, () =>
  seeded(async () => {
    const chance = dice(seed, 'traffic')
    const traffic = noTraffic()
    const senders = ['wide', 'narrow'].map(stage.sender)

    let raining = true
    const mining = dice(seed, 'mining')
    const miner = (async () => {
      while (raining) {
        await sleep(mining.between(100, 700))
        await stage.node.mine()
      }
    })()

    async function actDuring(weather: Weather, ms: number, actions: number): Promise<void> {
      proxy.change(weather)
      const end = performance.now() + ms
      for (let done = 0; performance.now() < end; done += 1) {
        if (done < actions) {
          const what = chance.weighted({ send: 30, cancel: 9, bulk: 0.2 })
          if (what === 'send') await trySend(stage, traffic, chance.pick(senders), chance)
          else if (what === 'cancel') await tryCancel(stage, traffic, chance, 50)
          else await tryCancelPending(stage, traffic, chance.pick(senders))
        }
        await sleep(chance.below((2 * ms) / actions))
      }
    }

    await actDuring(fair, 500, 10)
    await actDuring(unheard, 4_000, 40)
    await actDuring(storm(dice(seed, 'weather'), size), size.stormMs, size.actions)
    // In doubt, the service calls seldom: the silence lasts until a call fell into it.
    proxy.change(silent)
    const before = proxy.fates.stall
    await until(() => proxy.fates.stall > before, { what: 'a request into silence' })
    await actDuring(late(size.lateMs), size.lateMs + 1_000, 20)
    proxy.change(fair)
    raining = false
    await miner

    const outcome = await holdAll(stage, senders, traffic)
    expect(traffic.unanswered, 'the API answers, whatever the node does').toBe(0)
    expect(alarmsIn(stage.service.logs()), 'errors in the log').toEqual([])
    for (const [fate, times] of Object.entries(proxy.fates)) expect(times, fate).toBeGreaterThan(0)
    expect(outcome.executed).toBeGreaterThan(0)
    expect(Object.values(outcome.verdicts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
    const { bulks, refused } = traffic
    const fates = { ...proxy.fates }
    report({ ...size, sent: traffic.sent.length, canceled: traffic.canceled.size, bulks, refused, fates, ...outcome })
  }),
)
