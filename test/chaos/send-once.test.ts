// The same sends three times at once, through kill -9 in the middle of them: each payment is made once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import type { TransactionView } from '../../tooling/client.ts'
import { until } from '../../tooling/client.ts'
import { dice } from '../../tooling/dice.ts'
import { anvilStage, type Stage } from '../e2e/support/stage.ts'
import { seed, seeded } from './support/size.ts'

const sends = 1_000
const rounds = 3

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ relayers: { payer: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

interface Responses {
  readonly id: string
  readonly replayed: boolean
}

/** Repeats until there is an answer, as a client with an idempotency key may. */
async function ask(number: number): Promise<Responses> {
  return until(
    async () => {
      const answer = await stage.client.request('POST', '/relayers/payer/transactions', {
        headers: { 'idempotency-key': `payment-${number}` },
        body: { to: stage.sender('payer').address, value: String(number), gas_limit: 21_000, speed: 'average' },
      })
      // The connection was there, and the service on its way out or not yet ready.
      if (answer.status === 503) return undefined
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      const { id } = (answer.body as { data: TransactionView }).data
      return { id, replayed: answer.headers['idempotency-replayed'] === 'true' }
    },
    { what: `an answer to payment ${number}`, limitMs: 60_000 },
  )
}

test(`${sends} sends, ${rounds} times at once, with two kills, make ${sends} transactions`, { timeout: 180_000 }, () =>
  seeded(async () => {
    const chance = dice(seed, 'once')
    const reported = Array.from({ length: sends }, (): Responses[] => [])
    let answered = 0
    const killAt = [chance.between(50, 800), chance.between(1_000, 2_500)]

    const client = async (order: number[]) => {
      for (const number of order) {
        reported[number]?.push(await ask(number))
        answered += 1
      }
    }
    const numbers = Array.from({ length: sends }, (_, number) => number)
    // Each round is shared out among clients that go through the same numbers at the same time.
    const clients = Array.from({ length: rounds }, () =>
      Array.from({ length: 8 }, (_, share) => client(numbers.filter((number) => number % 8 === share))),
    ).flat()
    for (const count of killAt) {
      await until(() => answered >= count, { what: `${count} answers`, everyMs: 1, limitMs: 60_000 })
      await stage.service.kill9()
      await stage.service.restart()
    }
    await Promise.all(clients)

    const ids = new Set(reported.flat().map(({ id }) => id))
    expect(ids.size).toBe(sends)
    expect(
      stage.rows
        .transactionsOf('payer')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...ids].sort())
    for (const [number, answers] of reported.entries()) {
      expect(new Set(answers.map(({ id }) => id)).size, `payment ${number}`).toBe(1)
      expect(answers).toHaveLength(rounds)
      // None is the first twice; where the first answer was lost with the process, all are replays.
      expect(answers.filter(({ replayed }) => !replayed).length).toBeLessThanOrEqual(1)
    }
    const values = stage.rows.transactionsOf('payer').map(({ value }) => Number(value))
    expect(values.sort((a, b) => a - b)).toEqual(numbers)

    await stage.service.kill9()
    await stage.service.restart()
    expect(await ask(7)).toEqual({ id: reported[7]?.[0]?.id, replayed: true })
  }),
)
