// kill -9 of the service at random moments, while clients send and cancel and blocks are mined: nothing is lost, nothing
// executes twice, no nonce is skipped, and every DELETE that was answered ends in a true verdict.
//
//   CHAOS=full vitest run test/chaos/kill-9-storm.test.ts     100 kills, 1,000 transactions, 300 cancellations
//   CHAOS_SEED=N                                              the same dice again; a failure prints its seed
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { dice } from '../../tooling/dice.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { alarmsIn, holdAll } from './support/hold.ts'
import { full, report, seed, seeded } from './support/size.ts'
import { noTraffic, tryCancel, tryCancelPending, trySend } from './support/traffic.ts'

const size = full ? { kills: 100, sends: 1_000, cancels: 300 } : { kills: 25, sends: 300, cancels: 90 }

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({
    requiredConfirmations: 2,
    relayers: { wide: {}, narrow: { max_in_flight: 4 }, single: { max_in_flight: 1 } },
  })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test(`${size.kills} kills, ${size.sends} transactions, ${size.cancels} cancellations`, { timeout: 900_000 }, () =>
  seeded(async () => {
    const chance = dice(seed, 'storm')
    const senders = ['wide', 'narrow', 'single'].map(stage.sender)
    const traffic = noTraffic()
    const alarms: string[] = []
    let killedWhileStarting = 0

    let raining = true
    const mining = dice(seed, 'mining')
    const miner = (async () => {
      while (raining) {
        await sleep(mining.between(60, 450))
        await stage.node.mine()
      }
    })()

    /** Sends and cancels in due time, with pauses; the next life repeats requests that death interrupted. */
    async function live(sendsDue: number, cancelsDue: number, isOver: () => boolean): Promise<void> {
      const sendsAtEnd = traffic.sent.length + sendsDue
      const cancelsAtEnd = traffic.canceled.size + cancelsDue
      const client = async () => {
        while (!isOver()) {
          const sends = Math.max(0, sendsAtEnd - traffic.sent.length)
          const cancels = Math.max(0, cancelsAtEnd - traffic.canceled.size)
          if (sends + cancels === 0) return
          await sleep(chance.below(40))
          if (isOver()) return
          // Where all are sent, and the rest is mined too soon to be canceled, there must be more.
          if (chance.below(sends + cancels + 1) <= sends) {
            await trySend(stage, traffic, stage.sender(chance.weighted({ wide: 4, narrow: 3, single: 1 })), chance)
          } else if (chance.chance(0.04)) await tryCancelPending(stage, traffic, chance.pick(senders))
          else await tryCancel(stage, traffic, chance)
        }
      }
      await Promise.all([client(), client(), client()])
    }

    for (let killed = 0; killed < size.kills; killed += 1) {
      const livesLeft = size.kills - killed
      const sendsDue = Math.ceil((size.sends - traffic.sent.length) / livesLeft)
      const cancelsDue = Math.ceil((size.cancels - traffic.canceled.size) / livesLeft)
      let over = false
      const life = live(sendsDue, cancelsDue, () => over)
      await sleep(chance.between(1, 400))
      over = true
      alarms.push(...alarmsIn(stage.service.logs()))
      await stage.service.kill9()
      await life
      const starting = stage.service.restart().then(
        () => true,
        () => false,
      )
      if (chance.chance(0.15) && killed + 1 < size.kills) {
        await sleep(chance.between(50, 500))
        await stage.service.kill9()
        killed += 1
        killedWhileStarting += (await starting) ? 0 : 1
        await stage.service.restart()
      } else expect(await starting, `a start after a kill\n${stage.service.logs().slice(-3_000)}`).toBe(true)
    }
    const started = performance.now()
    await live(size.sends - traffic.sent.length, size.cancels - traffic.canceled.size, () => {
      return performance.now() - started > 60_000
    })
    raining = false
    await miner

    const outcome = await holdAll(stage, senders, traffic)
    alarms.push(...alarmsIn(stage.service.logs()))
    expect(alarms, 'errors in the log').toEqual([])
    expect(traffic.sent.length).toBeGreaterThanOrEqual(size.sends)
    expect(traffic.canceled.size).toBeGreaterThanOrEqual(size.cancels)
    // Every kind of end came about: the storm was one.
    expect(Object.keys(outcome.verdicts).sort()).toEqual(['dropped', 'lost', 'won'])
    const { bulks, unanswered, refused } = traffic
    const reported = { ...size, killedWhileStarting, sent: traffic.sent.length, canceled: traffic.canceled.size }
    report({ ...reported, bulks, unanswered, refused, ...outcome })
  }),
)
