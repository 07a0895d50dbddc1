// Numbers beyond 2^53 become texts with all their digits; everything else of a JSON text stays as it is.
import { expect, test } from 'vitest'
import { withExactIntegers } from '../../../src/http/request/parse-json.ts'

const parsed = (json: string) => JSON.parse(withExactIntegers(json))

test('large numbers keep their digits, wherever they stand', () => {
  expect(parsed('[9007199254740993, 9007199254740991, 1.5e+21, -9007199254740993, 1e400]')).toEqual([
    ...['9007199254740993', 9007199254740991, '1500000000000000000000', '-9007199254740993', '1e400'],
  ])
  expect(parsed('{"a":{"b":[0.5,9007199254740993]},"c":-0.0}')).toEqual({ a: { b: [0.5, '9007199254740993'] }, c: -0 })
  expect(parsed('9007199254740993')).toBe('9007199254740993')
})

test('texts stay as they are, with numbers, quotes and backslashes in them', () => {
  for (const text of [
    '9007199254740993',
    '"9007199254740993',
    '\\',
    '\\"9007199254740993\\',
    '"',
    '',
    '\\\\"1e30',
    '"'.repeat(9),
  ]) {
    expect(parsed(JSON.stringify({ [text]: text, wei: 1 }))).toEqual({ [text]: text, wei: 1 })
  }
})
