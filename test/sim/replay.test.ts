// The same seed is the same run: alone or after others, and the engine waits for nothing that the simulator does not know.
import { expect, inject, test } from 'vitest'
import { simulate } from './simulate.ts'

const first = inject('firstSeed')

test(`a seed replays to the same history, alone and after others, from ${first} on`, async () => {
  const together = await simulate(first, 6, 200)
  const again = await simulate(first, 6, 200)
  expect(again.map(({ hash }) => hash)).toEqual(together.map(({ hash }) => hash))
  const [alone] = await simulate(first + 5, 1, 200)
  expect(alone?.hash).toBe(together[5]?.hash)
  expect(new Set(together.map(({ hash }) => hash)).size).toBe(6)
})

test('a run of fewer steps begins like the longer one', async () => {
  const [short] = await simulate(510, 1, 40)
  const [long] = await simulate(510, 1, 80)
  expect(short?.hash).not.toBe(long?.hash)
  expect(short?.transactions).toBeLessThanOrEqual(long?.transactions ?? 0)
})
