// Hints as payloads: what one holds, what waits for the next, and what another version may send.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { hintsIn, openPendingHints } from '../../src/store/postgres/hint-messages.ts'

const work = (relayer: string) => ({ kind: 'work', relayer: relayer as RelayerId }) as const

test('hints that say the same go out once, all in one payload, and none waits then', () => {
  const pending = openPendingHints()
  expect(pending.isEmpty()).toBe(true)
  for (const relayer of ['one', 'two', 'one']) pending.add(work(relayer))
  for (const kind of ['registry', 'locks', 'locks'] as const) pending.add({ kind })
  expect(hintsIn(pending.take())).toEqual([work('one'), work('two'), { kind: 'locks' }, { kind: 'registry' }])
  expect(pending.isEmpty()).toBe(true)
})

test('more relayers than a payload holds go out in several, in their order', () => {
  const pending = openPendingHints()
  const relayers = Array.from({ length: 1_000 }, (_, index) => `relayer-${index}-é`)
  for (const relayer of relayers) pending.add(work(relayer))
  const payloads: string[] = []
  while (!pending.isEmpty()) payloads.push(pending.take())
  expect(payloads.length).toBeGreaterThan(1)
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000)
  expect(payloads.flatMap(hintsIn)).toEqual(relayers.map(work))
})

test('allowances have a payload of their own beside locks, of the 64 used most; relayers wait for the next', () => {
  const pending = openPendingHints()
  const amounts = new Map(Array.from({ length: 70 }, (_, index) => [`key-${index}`, index]))
  pending.add(work('one'))
  pending.add({ kind: 'spent', by: 'replica', amounts })
  pending.add({ kind: 'locks' })
  const most = [...amounts].filter(([, amount]) => amount >= 6).reverse()
  const first = hintsIn(pending.take())
  expect(first).toEqual([{ kind: 'locks' }, { kind: 'spent', by: 'replica', amounts: new Map(most) }])
  expect(pending.isEmpty()).toBe(false)
  expect(hintsIn(pending.take())).toEqual([work('one')])
})

test.each(['', 'no JSON', 'null', '{"work":7}', '{"spent":{}}'])(
  'the payload %j is no hint, and no error',
  (payload) => {
    expect(hintsIn(payload)).toEqual([])
  },
)
