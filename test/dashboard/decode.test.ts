// Calls are decoded as viem encodes them, and data that does not fit is never shown as something else.
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { decodeCall, knownCalls } from '../../src/dashboard/state/decode.ts'

const abi = parseAbi([
  'function transfer(address,uint256)',
  'function setApprovalForAll(address,bool)',
  'function safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }',
  'struct Call { address target; bytes callData; }',
  'function aggregate3(Call3[])',
  'function aggregate3Value(Call3Value[])',
  'function tryAggregate(bool,Call[])',
])
const one = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const two = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [one, 25_000_000n] })

test('each selector is that of its signature', () => {
  for (const [selector, { signature }] of Object.entries(knownCalls)) {
    expect(toFunctionSelector(signature)).toBe(`0x${selector}`)
  }
})

test('a transfer', () => {
  expect(decodeCall(transfer)).toEqual({
    name: 'transfer',
    standard: 'ERC-20',
    parameters: [
      { name: 'to', value: one },
      { name: 'amount', value: '25000000' },
    ],
  })
})

test('a batch of ERC-1155', () => {
  const args = [one, two, [1n, 2n], [30n, 40n], '0xabcd'] as const
  const decoded = decodeCall(encodeFunctionData({ abi, functionName: 'safeBatchTransferFrom', args }))
  expect(decoded?.parameters.map(({ value }) => value)).toEqual([one, two, '1, 2', '30, 40', '0xabcd'])
})

test.each([
  [
    'aggregate3',
    [
      [
        { target: one, allowFailure: true, callData: transfer },
        { target: two, allowFailure: false, callData: '0x' },
      ],
    ],
  ],
  [
    'aggregate3Value',
    [
      [
        { target: one, allowFailure: true, value: 7n, callData: transfer },
        { target: two, allowFailure: false, value: 0n, callData: '0x' },
      ],
    ],
  ],
  [
    'tryAggregate',
    [
      true,
      [
        { target: one, callData: transfer },
        { target: two, callData: '0x' },
      ],
    ],
  ],
] as const)('the calls of %s', (functionName, args) => {
  // biome-ignore lint/suspicious/noExplicitAny: each row has the arguments of its function
  const decoded = decodeCall(encodeFunctionData({ abi, functionName, args: args as any }))
  expect(decoded?.calls).toMatchObject([
    { to: one, data: transfer },
    { to: two, data: '0x' },
  ])
})

test.each([
  ['an unknown selector', '0xdeadbeef'],
  ['data that ends early', transfer.slice(0, -2)],
  ['no address where one must be', transfer.replace('0'.repeat(24), 'f'.repeat(24))],
  ['an offset beyond the data', `0x82ad56cb${'f'.repeat(64)}`],
  ['a list longer than the data', `0x82ad56cb${'20'.padStart(64, '0')}${'f'.repeat(64)}`],
  ['nothing', '0x'],
])('%s is not decoded', (_, data) => {
  expect(decodeCall(data)).toBeUndefined()
})
