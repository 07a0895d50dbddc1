// Messages between replicas: which of them a replica believes, and what it reads in them.
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { systemRandom } from '../../src/ops/random.ts'
import { secret } from '../../src/ops/secret.ts'
import { hintsIn, openPendingHints } from '../../src/store/postgres/hint-messages.ts'
import { openMessageSeal } from '../../src/store/postgres/seal-messages.ts'
import { manualClock } from '../support/manual-clock.ts'

const [oldKey, newKey] = ['old', 'new'].map((name) => secret(`${name}-`.repeat(10)))
const channel = 'rescind_1'
const clock = manualClock()
const sealWith = (...keys: (typeof oldKey)[]) =>
  openMessageSeal({ keys: keys.filter((key) => key !== undefined), random: systemRandom(), clock })

test('a replica opens what another one sealed, once, and not on another channel', () => {
  const [sender, receiver, other] = [sealWith(oldKey), sealWith(oldKey), sealWith(oldKey)]
  const payload = sender.seal('{"locks":true}', channel)
  expect(receiver.open(payload, 'rescind_2')).toBeUndefined()
  expect(JSON.parse(receiver.open(payload, channel) ?? 'null')).toMatchObject({ locks: true })
  expect(receiver.open(payload, channel)).toBeUndefined()
  expect(other.open(payload, channel)).toBeDefined()
})

test('what was recorded is old news: behind a later message, and after fifteen seconds also where its sender is unknown', () => {
  const [sender, receiver] = [sealWith(oldKey), sealWith(oldKey)]
  const [first, second] = [sender.seal('{}', channel), sender.seal('{}', channel)]
  expect(receiver.open(second, channel)).toBeDefined()
  expect(receiver.open(first, channel)).toBeUndefined()
  const recorded = sender.seal('{}', channel)
  clock.advance(15_001)
  expect(receiver.open(recorded, channel)).toBeUndefined()
  expect(sealWith(oldKey).open(recorded, channel)).toBeUndefined()
  expect(receiver.open(sender.seal('{}', channel), channel)).toBeDefined()
})

test('one from the future is believed no more than an old one', () => {
  const ahead = manualClock()
  ahead.set(clock.now() - ahead.now() + 15_001)
  const sender = openMessageSeal({ keys: [secret('k'.repeat(32))], random: systemRandom(), clock: ahead })
  const receiver = openMessageSeal({ keys: [secret('k'.repeat(32))], random: systemRandom(), clock })
  expect(receiver.open(sender.seal('{}', channel), channel)).toBeUndefined()
})

test('while the key is rotated, a replica with both keys opens messages of either, and seals under the present one', () => {
  const [before, rotating, after] = [sealWith(oldKey), sealWith(newKey, oldKey), sealWith(newKey)]
  expect(rotating.open(before.seal('{}', channel), channel)).toBeDefined()
  expect(rotating.open(after.seal('{}', channel), channel)).toBeDefined()
  expect(after.open(rotating.seal('{}', channel), channel)).toBeDefined()
  expect(before.open(rotating.seal('{}', channel), channel)).toBeUndefined()
  expect(after.open(before.seal('{}', channel), channel)).toBeUndefined()
})

test('nothing else is believed: no MAC, half of one, another one, or one of other bytes', () => {
  const [sender, receiver] = [sealWith(oldKey), sealWith(oldKey)]
  const payload = sender.seal('{"work":["one"]}', channel)
  const forged = [
    '',
    'no JSON',
    '{"work":["one"]}',
    payload.replace('one', 'two'),
    payload.replace(/"number":\d+/, '"number":99'),
    payload.replace(/.{5}"\}$/, '"}'),
    payload.replace(/"mac":".{43}/, `"mac":"${'A'.repeat(43)}`),
    `${payload} `,
  ]
  for (const each of forged) expect(receiver.open(each, channel), each).toBeUndefined()
  expect(receiver.open(payload, channel)).toBeDefined()
})

test('every sealed message is read as it was meant, and the server takes the longest', () => {
  const pending = openPendingHints()
  const relayers = Array.from({ length: 500 }, (_, index) => `relayer-${index}-é` as RelayerId)
  for (const relayer of relayers) pending.add({ kind: 'work', relayer })
  for (const kind of ['locks', 'registry'] as const) pending.add({ kind })
  const [sender, receiver] = [sealWith(oldKey), sealWith(oldKey)]
  const payloads: string[] = []
  while (!pending.isEmpty()) payloads.push(sender.seal(pending.take(), channel))
  const spent = { kind: 'spent', by: 'replica', amounts: new Map([['key:one', 3]]) } as const
  pending.add(spent)
  payloads.push(sender.seal(pending.take(), channel))
  expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000)
  const read = payloads.flatMap((payload) => hintsIn(receiver.open(payload, channel) ?? ''))
  expect(read.filter(({ kind }) => kind === 'work')).toEqual(relayers.map((relayer) => ({ kind: 'work', relayer })))
  expect(read.filter(({ kind }) => kind !== 'work')).toEqual([{ kind: 'locks' }, { kind: 'registry' }, spent])
})
