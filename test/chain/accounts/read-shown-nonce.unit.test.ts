// The highest nonce for which a pool shows a transaction of the account: proven by the transaction's own bytes.
import { parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { keccak256, toHex } from 'viem/utils'
import { expect, test } from 'vitest'
import { readingShownNonces } from '../../../src/chain/accounts/read-shown-nonce.ts'
import type { Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'

const chainId = 31_337
const owner = devAccount(0)

/** As a node shows it. */
async function shown(nonce: number, { key = owner.key, chain = chainId } = {}) {
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, gas: 21_000n }
  const to = devAccount(1).address
  const raw = await privateKeyToAccount(key).signTransaction({
    ...fees,
    chainId: chain,
    nonce,
    to,
    value: 1n,
    type: 'eip1559',
  })
  const { r, s, yParity } = parseTransaction(raw)
  const wire = { type: '0x2', chainId: toHex(chain), nonce: toHex(nonce), gas: '0x5208', value: '0x1', input: '0x' }
  return {
    ...{ ...wire, maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1', accessList: [], hash: keccak256(raw) },
    ...{ to: to.toLowerCase(), from: owner.address.toLowerCase(), r, s, yParity: toHex(yParity ?? 0) },
  }
}

type Answers = Readonly<Record<string, unknown>>

function endpoint(answers: Answers): Endpoint {
  return {
    fit: () => true,
    ready: () => Promise.resolve(undefined),
    call: ({ method }: Call) =>
      Promise.resolve(
        method in answers
          ? { kind: 'value', value: answers[method] }
          : { kind: 'rpcError', code: -32601, message: 'Method not found' },
      ),
  } as unknown as Endpoint
}

function read(...all: readonly Answers[]) {
  const endpoints = { order: () => all.map(endpoint) } as unknown as Endpoints
  return readingShownNonces(endpoints, chainId)(owner.address)
}

const byNonce = 'eth_getTransactionBySenderAndNonce'
const counted = (count: number) => ({ eth_getTransactionCount: toHex(count) })

test('the transaction at the end of the pool, by either method', async () => {
  expect(await read({ ...counted(8), [byNonce]: await shown(7) })).toBe(7)
  expect(await read({ ...counted(8), txpool_contentFrom: { pending: { 7: await shown(7) }, queued: {} } })).toBe(7)
})

test('the highest of several pools, and none where no pool has one or shows it', async () => {
  expect(await read({ ...counted(8), [byNonce]: await shown(7) }, { ...counted(3), [byNonce]: await shown(2) })).toBe(7)
  expect(await read(counted(8))).toBe('none')
  expect(await read({ ...counted(8), [byNonce]: null })).toBe('none')
  expect(await read({})).toBe('none')
})

test('another key, another chain, another nonce or altered bytes prove nothing', async () => {
  const answer = async (transaction: unknown) => read({ ...counted(8), [byNonce]: transaction })
  expect(await answer(await shown(7, { key: devAccount(1).key }))).toBe('none')
  expect(await answer(await shown(7, { chain: 1 }))).toBe('none')
  expect(await answer(await shown(6))).toBe('none')
  expect(await answer({ ...(await shown(6)), nonce: '0x7' })).toBe('none')
  expect(await answer({ ...(await shown(7)), value: '0x2' })).toBe('none')
})
