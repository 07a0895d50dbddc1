// Which calls are passed on to a node for a client.
import { expect, test } from 'vitest'
import { refuseCall } from '../../src/domain/rpc.ts'

test.each(['eth_call', 'eth_getLogs', 'eth_getBalance', 'eth_getTransactionReceipt', 'eth_chainId', 'net_version'])(
  '%s is',
  (method) => {
    expect(refuseCall(method, [])).toBeUndefined()
  },
)

const refused: readonly [method: string, expected: RegExp][] = [
  ...['eth_sendRawTransaction', 'eth_sendTransaction', 'eth_sendPrivateTransaction', 'eth_sendBundle'],
  ...['eth_sendRawTransactionConditional', 'eth_sign', 'eth_signTransaction', 'eth_signTypedData_v4', 'eth_accounts'],
  ...['personal_sign', 'personal_unlockAccount', 'wallet_sendCalls'],
]
  .map((method): [string, RegExp] => [
    method,
    /is refused: the account and its nonces are the relayer's; send with POST/,
  ])
  .concat(
    ['eth_newFilter', 'eth_getFilterChanges', 'eth_uninstallFilter', 'eth_subscribe'].map((method) => [
      method,
      /is refused: one of several nodes answers each call/,
    ]),
    [
      ...['admin_addPeer', 'debug_traceTransaction', 'debug_setHead', 'miner_start', 'txpool_content', 'trace_call'],
      ...['anvil_setBalance', 'hardhat_mine', 'evm_mine', 'engine_newPayloadV3', 'clique_propose', 'rpc_modules'],
      ...['eth_getRawTransactionByHash', 'eth_getWork', 'eth_submitWork', 'eth_pendingTransactions', 'eth_mining'],
      ...['ETH_CALL', 'eth_call ', ' eth_call', 'eth_Call', 'constructor', '__proto__', 'toString', 'x'.repeat(200)],
    ].map((method) => [method, /is not passed on: only methods that read/]),
  )

test.each(refused)('%s is not', (method, reported) => {
  expect(refuseCall(method, [])).toMatchObject({ code: -32601, message: expect.stringMatching(reported) })
})

test('a name is not repeated at any length', () => {
  expect(refuseCall('x'.repeat(200), [])?.message.length).toBeLessThan(160)
})

test.each([{ a: 1 }, 'eth', 7, true, null])('params of %j are refused', (params) => {
  expect(refuseCall('eth_call', params)).toMatchObject({ code: -32602 })
})

test('params nest as deep as any method takes, and no deeper', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])
  expect(refuseCall('eth_call', nested(16))).toBeUndefined()
  expect(refuseCall('eth_call', nested(17))).toMatchObject({ code: -32602 })
  let abyss: unknown = []
  for (let depth = 0; depth < 100_000; depth++) abyss = [abyss]
  expect(refuseCall('eth_call', abyss)).toMatchObject({ code: -32602 })
})
