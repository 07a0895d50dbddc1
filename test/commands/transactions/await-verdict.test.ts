// Prefer: wait lasts for its seconds, through jumps of the machine's clock.
import { expect, test } from 'vitest'
import { awaitVerdict } from '../../../src/commands/transactions/cancel.ts'
import { until } from '../../../tooling/client.ts'
import { noneHanging, nothingUnknown, openWorkplace, step } from '../../engine/workplace.ts'

const hourMs = 3_600_000

test.each([
  ['back', -hourMs],
  ['forwards', hourMs],
])('the clock is set %s by an hour', async (_, jumpMs) => {
  await using place = await openWorkplace()
  const { clock, relayer } = place
  const id = await place.send()
  await step(place.context, await place.own(), nothingUnknown, noneHanging)
  await place.cancel(id)
  let ended = false
  const waited = awaitVerdict(place.commands, relayer.id, id, 1_000, new AbortController().signal).then((found) => {
    ended = true
    return found
  })
  const looked = () => until(() => clock.sleeping.length === 1, { what: 'a wait between two looks' })
  await looked()
  clock.set(jumpMs)
  for (let quarter = 0; quarter < 3; quarter += 1) {
    clock.advance(250)
    await looked()
    expect(ended).toBe(false)
  }
  clock.advance(250)
  expect(await waited).toMatchObject({ id, lifecycle: { phase: 'inFlight' } })
})
