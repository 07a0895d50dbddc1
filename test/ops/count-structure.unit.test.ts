// The structure of a JSON text, in its bytes: the brackets and commas of its values, and none of those in its texts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accessListEntriesMax, batchBodyBytesMax, bodyDepthMax, bodyPartsMax } from '../../src/http/limits.ts'
import { excessOfStructure } from '../../src/ops/count-structure.ts'

function measured(value: unknown): { depth: number; parts: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, parts: 0 }
  const members = Object.values(value).map(measured)
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    parts: members.reduce((sum, { parts }) => sum + parts, 1 + Math.max(0, members.length - 1)),
  }
}

test('any value: exactly its depth and its parts', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const bytes = Buffer.from(JSON.stringify(value, null, 1))
      const { depth, parts } = measured(value)
      expect(excessOfStructure(bytes, { depthMax: depth, partsMax: parts })).toBeUndefined()
      if (depth > 0) expect(excessOfStructure(bytes, { depthMax: depth - 1, partsMax: parts })).toBe('depth')
      if (parts > 0) expect(excessOfStructure(bytes, { depthMax: depth, partsMax: parts - 1 })).toBe('parts')
    }),
  )
})

test.each(['"[[[[{{,,,"', '"\\"[["', '"\\\\\\"[["', '"never ends [[', '', ']]]]'])('no structure: %s', (text) => {
  expect(excessOfStructure(Buffer.from(text), { depthMax: 0, partsMax: 0 })).toBeUndefined()
})

test('elements of an outermost list are its members, and nothing else is', () => {
  const [list, object] = ['[{"a":"[,{\\",","b":[1,2]},{}]', '{"a":[1,2,3]}'].map((text) => Buffer.from(text))
  const excess = (bytes: Buffer | undefined, membersMax: number) =>
    bytes && excessOfStructure(bytes, { depthMax: 9, partsMax: 9, membersMax })
  expect([excess(list, 2), excess(list, 1), excess(object, 1)]).toEqual([undefined, 'members', undefined])
})

test('the largest batches that name storage keys and data pass', () => {
  const keys = Array(1_024).fill(`0x${'ab'.repeat(32)}`)
  const to = `0x${'ab'.repeat(20)}`
  const transaction = { to, value: '1', access_list: [{ address: to, storage_keys: keys }] }
  const count = Math.floor(batchBodyBytesMax / JSON.stringify(transaction).length)
  const entries = Array(accessListEntriesMax).fill({ address: to, storage_keys: [] })
  const many = Array(40).fill({ to, value: '1', access_list: entries })
  for (const transactions of [Array(count).fill(transaction), many]) {
    const bytes = Buffer.from(JSON.stringify({ transactions }))
    expect(excessOfStructure(bytes, { depthMax: bodyDepthMax, partsMax: bodyPartsMax })).toBeUndefined()
  }
})
