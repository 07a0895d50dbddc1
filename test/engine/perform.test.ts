// Sends to a further endpoint once the first has failed: a client may have canceled in between.
import { expect, test } from 'vitest'
import { replaceTransaction } from '../../src/commands/transactions/replace.ts'
import type { TransactionId } from '../../src/domain/ids.ts'
import { receiver } from '../domain/some.ts'
import { noneHanging, nothingUnknown, openWorkplace, step, type Workplace } from './workplace.ts'

test.each<[string, boolean, (place: Workplace, id: TransactionId) => Promise<unknown>]>([
  ['nothing', true, async () => undefined],
  ['a DELETE', false, (place, id) => place.cancel(id)],
  [
    'a PUT',
    false,
    ({ commands, relayer }, id) =>
      replaceTransaction(commands, relayer.id, id, {
        to: receiver,
        value: 2n,
        data: '0x',
        gasLimit: 21_000,
        pricing: { kind: 'speed', speed: 'average' },
      }),
  ],
])('after %s, while a node had the bytes, another is sent them: %s', async (_, isWanted, change) => {
  await using place = await openWorkplace()
  const { chain, context } = place
  const id = await place.send()
  const wanted: (boolean | undefined)[] = []
  chain.whileBroadcasting = async () => {
    await change(place, id)
    for (const { stillWanted } of chain.broadcasts) wanted.push(await stillWanted?.())
  }
  await step(context, await place.own(), nothingUnknown, noneHanging)
  expect(wanted).toEqual([isWanted])
})
