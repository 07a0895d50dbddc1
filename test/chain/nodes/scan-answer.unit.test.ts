// The members of an answer in its bytes: the same as a parser's for any answer, and none for other bytes.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scanAnswer } from '../../../src/chain/nodes/scan-answer.ts'

const scanned = (text: string) => {
  const found = scanAnswer(Buffer.from(text))
  return found && { result: found.result?.toString(), error: found.error?.toString() }
}

test('any answer: each member is the bytes of its value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.constantFrom('', ' ', '\n\t '), (result, error, blank) => {
      const members = [`"id":1`, `"result":${blank}${JSON.stringify(result, null, 1)}${blank}`]
      expect(scanned(`${blank}{${blank}${members.join(',')}}${blank}`)).toEqual({
        result: JSON.stringify(result, null, 1),
        error: undefined,
      })
      const both = `{"error":${JSON.stringify(error)},"deep":{"result":2,"x":["}"]},"result":${JSON.stringify(result)}}`
      expect(scanned(both)).toEqual({ result: JSON.stringify(result), error: JSON.stringify(error) })
    }),
  )
})

test.each([
  '',
  'null',
  '[]',
  '[{"result":1}]',
  '"result"',
  '{"result"}',
  '{"result":}',
  '{"result":1',
  '{"result":"1}',
  '{"result":"\\"}',
  '{"result":[1,{"a":2}',
  '{"result":1}}',
  '{"result":1},"error":2}',
  '{"result":1 "error":2}',
  '{result:1}',
  '<html>{"result":1}</html>',
])('not an answer: %s', (text) => {
  expect(scanAnswer(Buffer.from(text))).toBeUndefined()
})

test('a value can neither end early nor hold a member of the answer around it', () => {
  const escaped = JSON.stringify({ a: '"},"error":{"code":1},"result":"', b: '\\', c: '\\"' })
  expect(scanned(`{"result":${escaped}}`)).toEqual({ result: escaped, error: undefined })
})
