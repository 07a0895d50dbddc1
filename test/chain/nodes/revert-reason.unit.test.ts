// The reason of a revert: decoded, and cut where a contract reverts with a megabyte.
import { encodeErrorResult } from 'viem'
import { expect, test } from 'vitest'
import { revertReason } from '../../../src/chain/nodes/revert-reason.ts'
import { revertTextMaxChars } from '../../../src/domain/stored-text.ts'

const abi = [{ type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] }] as const
const revertedWith = (text: string, prefix = '') => {
  const data = `${prefix}${encodeErrorResult({ abi, errorName: 'Error', args: [text] })}`
  return revertReason({ kind: 'rpcError', code: 3, message: 'execution reverted', data })
}

test.each([0, 1, 31, 32, 33, 1_023, 1_024])('a text of %i characters is whole', (length) => {
  expect(revertedWith('é'.repeat(length))).toBe('é'.repeat(length))
})

test.each([1_025, 4_095, 4_096, 4_097, 8_192, 1_048_576])(
  'of a text of %i characters, the beginning stays',
  (length) => {
    for (const prefix of ['', 'Reverted ']) {
      expect(revertedWith('a'.repeat(length), prefix)).toBe(`${'a'.repeat(revertTextMaxChars - 1)}…`)
    }
  },
)

test('a long message of the node is cut, too, and a long custom error keeps its selector', () => {
  const answer = { kind: 'rpcError', code: 3, message: 'x'.repeat(1_048_576) } as const
  expect(revertReason(answer)).toHaveLength(revertTextMaxChars)
  expect(revertReason({ ...answer, data: `0x12345678${'00'.repeat(1_048_576)}` })).toBe('custom error 0x12345678')
})
