// The digest of a payload: what it covers, and that a client can compute it.
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RelayerId } from '../../src/domain/ids.ts'
import { approvedPayload, payloadDigest } from '../../src/domain/payload-digest.ts'
import type { Payload } from '../../src/domain/transaction.ts'
import { address, eip1559, hashOf, idOf, now, receiver } from './some.ts'

const anyPayload = fc.record({
  value: fc.bigInt({ min: 0n, max: 3n }),
  gas: fc.constantFrom(undefined, 1, 2),
  until: fc.constantFrom(undefined, now, now + 1),
  pricing: fc.constantFrom<Payload['pricing']>(
    { kind: 'speed', speed: 'fast' },
    { kind: 'speed', speed: 'average' },
    { kind: 'legacy', gasPrice: 9n },
    { kind: 'legacy', gasPrice: 8n },
    eip1559(9n, 1n),
    eip1559(9n, 2n),
  ),
  data: fc.constantFrom('0x', '0x01'),
  outOfGas: fc.boolean(),
  id: fc.nat(1),
  relayer: fc.constantFrom('a', 'b'),
  list: fc.constantFrom(
    undefined,
    [],
    [{ address: receiver, storageKeys: [] }],
    [{ address: receiver, storageKeys: [hashOf(1)] }],
  ),
  to: fc.constantFrom(undefined, receiver),
})

const anyMember = fc.constantFrom(
  ...(['all', 'value', 'gas', 'until', 'pricing', 'data', 'outOfGas', 'id', 'relayer', 'list', 'to'] as const),
)

function payable({ value, gas, until, pricing, data, outOfGas, id, relayer, list, to }: Drawn) {
  return {
    id: idOf(id),
    relayerId: relayer as RelayerId,
    payload: {
      from: address,
      ...(to && { to }),
      value,
      data: data as '0x',
      pricing,
      ...(gas && { gasLimit: gas }),
      ...(outOfGas && { allowOutOfGas: true as const }),
      ...(list && { accessList: list }),
    },
    ...(until && { validUntil: until }),
  }
}
type Drawn = typeof anyPayload extends fc.Arbitrary<infer T> ? T : never

test('two digests are equal only if everything that is approved is equal', () => {
  fc.assert(
    // Mostly one member differs: a digest that leaves it out would be the same.
    fc.property(anyPayload, anyPayload, anyMember, (one, drawn, member) => {
      const other = member === 'all' ? drawn : { ...one, [member]: drawn[member] }
      const same = fc.stringify({ ...one }) === fc.stringify({ ...other })
      expect(payloadDigest(payable(one)) === payloadDigest(payable(other))).toBe(same)
      const form = approvedPayload(payable(one))
      expect(Object.keys(form)).toEqual(Object.keys(form).toSorted())
    }),
    { numRuns: 3_000 },
  )
})

test('the documentation states the digest of its example', async () => {
  const page = await readFile('docs/security.md', 'utf8')
  const payload = /```json\n(\{\n {2}"data"[^`]*\})\n```/.exec(page)?.[1] ?? ''
  const stated = /`(0x[0-9a-f]{64})`/.exec(page.slice(page.indexOf(payload)))?.[1]
  const {
    value,
    transaction_id: id,
    relayer_id: relayerId,
    from,
    to,
    gas_limit: gasLimit,
    data,
    speed,
  } = JSON.parse(payload)
  const pricing = { kind: 'speed', speed } as const
  expect(payloadDigest({ id, relayerId, payload: { from, to, value: BigInt(value), gasLimit, data, pricing } })).toBe(
    stated,
  )
})
