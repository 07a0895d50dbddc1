// Decoding what a contract returned, also where it is made to be slow or wrong.
import { encodeErrorResult, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { decodeRevert, headOf } from '../../../src/chain/inclusions/decode-revert.ts'
import { argumentCharsMax, revertBytesMax } from '../../../src/domain/revert-data.ts'

const error = (type: string, more = {}) => ({ name: 'Odd', inputs: [{ name: 'it', type, ...more }] })
function dataOf(fragment: ReturnType<typeof error>, value: unknown): Hex {
  return encodeErrorResult({ abi: [{ type: 'error', ...fragment }], args: [value] } as never)
}

describe('arguments as text', () => {
  test.each([
    ['int8', -5, '-5'],
    ['bytes', '0xABcd', '0xabcd'],
    ['bool', true, 'true'],
    ['uint256[]', [1n, 2n ** 255n], `["1","${2n ** 255n}"]`],
    ['string', 'a\0b', 'a\0b'],
  ])('%s', (type, value, text) => {
    const fragment = error(type)
    const decoded = decodeRevert(dataOf(fragment, value), [fragment])
    expect(decoded?.arguments).toEqual([{ name: 'it', type, value: text }])
    expect(decoded && headOf(decoded)).toBe(`Odd(it: ${text})`)
  })

  test('a long one is cut', () => {
    const fragment = error('string')
    const decoded = decodeRevert(dataOf(fragment, 'x'.repeat(3_000)), [fragment])
    expect(decoded?.arguments[0]?.value).toBe(`${'x'.repeat(argumentCharsMax - 1)}…`)
  })
})

test.each(['0x', '0x08c379', '0x08c379a0', '0x08c379a0ff', `0x08c379a0${'ff'.repeat(64)}`] as const)(
  'data that is no encoding: %s',
  (data) => expect(decodeRevert(data, [])).toBeUndefined(),
)

/** An array whose elements all point to one text, as long as the data allows. */
function repeated(bytes: number): Hex {
  const words = Math.floor((bytes - 4) / 32)
  const elements = Math.floor(words / 2)
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const text = words - 3 - elements
  const pointers = Array.from({ length: elements }, () => word(elements * 32))
  return `0x${[word(32), word(elements), ...pointers, word(text * 32)].join('')}${'61'.repeat(text * 32)}`
}

test.each(['string[]', 'bytes[]'])('data that may repeat itself is decoded up to 1,024 bytes: %s', (type) => {
  const fragment = error(type)
  const selector = dataOf(fragment, []).slice(0, 10)
  for (const bytes of [1_024, 1_024 + 36, revertBytesMax]) {
    const decoded = decodeRevert(`${selector}${repeated(bytes).slice(2)}` as Hex, [fragment])
    expect(decoded === undefined, `${bytes} bytes`).toBe(bytes > 1_024)
  }
})
