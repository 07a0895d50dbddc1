// Which transaction of a body proves that it spent a nonce, and when one that proves nothing by itself counts.
import { keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { findingSpenders } from '../../../src/chain/inclusions/find-spender.ts'
import { valueIn } from '../../../src/chain/nodes/ask-about.ts'
import type { Answer } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Endpoints } from '../../../src/chain/nodes/endpoints.ts'
import { readBody } from '../../../src/chain/nodes/read-block.ts'
import type { Hash, Hex } from '../../../src/domain/ids.ts'
import type { Clock } from '../../../src/ops/clock.ts'
import { devAccount } from '../../../tooling/dev-accounts.ts'

const { key, address } = devAccount(0)
const account = privateKeyToAccount(key)
const other = privateKeyToAccount(devAccount(1).key)
const receiver = devAccount(2).address
const chainId = 31_337
const hashOf = (digit: string) => `0x${digit.repeat(64)}` as Hash
const hex = (number: number | bigint): Hex => `0x${number.toString(16)}`
const common = { chainId, nonce: 4, to: receiver, value: 7n, gas: 50_000n, data: '0xab' } as const
const priced = { ...common, maxFeePerGas: 9n, maxPriorityFeePerGas: 2n } as const
const blobs = { maxFeePerBlobGas: 3n, blobVersionedHashes: [`0x01${'a'.repeat(62)}`] } as const

async function authorizationBy(signer: typeof account, nonce: number, chain = chainId) {
  const { r, s, yParity = 0 } = await signer.signAuthorization({ address: receiver, chainId: chain, nonce })
  return { address: receiver, chainId: chain, nonce, r, s, yParity }
}

interface Wire extends Readonly<Record<string, unknown>> {
  readonly hash?: unknown
}

/** As a node shows it. */
function shown(raw: Hex, from: string): Wire {
  const { r, s, v, yParity, type, nonce, to, value, data, gas, ...rest } = parseTransaction(raw as `0x02${string}`)
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, ...more } = rest as Wire & typeof rest
  const { maxFeePerBlobGas, blobVersionedHashes, authorizationList } = more as Wire
  const list = authorizationList as readonly { chainId: number; nonce: number; yParity: number }[] | undefined
  const types = ['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']
  return {
    ...{ hash: keccak256(raw), from, nonce: hex(nonce ?? 0), to, value: hex(value ?? 0n), input: data ?? '0x' },
    ...{
      gas: hex(gas ?? 0n),
      chainId: hex(chainId),
      r,
      s,
      v: hex(v ?? yParity ?? 0),
      type: hex(types.indexOf(String(type))),
    },
    ...(yParity !== undefined && String(type) !== 'legacy' && { yParity: hex(yParity) }),
    gasPrice: hex((gasPrice as bigint | undefined) ?? maxFeePerGas ?? 0n),
    ...(maxFeePerGas !== undefined && { maxFeePerGas: hex(maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas: hex(maxPriorityFeePerGas) }),
    ...(String(type) !== 'legacy' && { accessList: accessList ?? [] }),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas: hex(maxFeePerBlobGas as bigint), blobVersionedHashes }),
    ...(list && {
      authorizationList: list.map((each) => ({
        ...each,
        ...{ chainId: hex(each.chainId), nonce: hex(each.nonce), yParity: hex(each.yParity) },
      })),
    }),
  }
}

const block = { number: 9, hash: hashOf('9'), parentHash: hashOf('8'), timestampMs: 0 }

/** The endpoint whose body is looked at comes first. The others show these bodies, or nothing. */
function network(bodies: readonly (readonly Wire[] | undefined)[]) {
  let elapsedMs = 0
  const strays: string[] = []
  const endpoints = bodies.map((transactions, index): Partial<Endpoint> => {
    const value = transactions && {
      ...{ number: hex(block.number), hash: block.hash, parentHash: block.parentHash, timestamp: '0x0', transactions },
    }
    const answer: Answer = { kind: 'value', value: value ?? null }
    return {
      ...{ index, ready: async () => undefined, call: async () => answer },
      strayed: (method: string) => void strays.push(method),
    }
  }) as Endpoint[]
  const among: Partial<Endpoints> = { order: () => endpoints }
  const clock: Partial<Clock> = { elapsed: () => elapsedMs }
  const find = findingSpenders({ endpoints: among as Endpoints, clock: clock as Clock, chainId })
  const [first] = endpoints
  return {
    strays,
    wait: (ms: number) => {
      elapsedMs += ms
    },
    find: async () => {
      const body = first && valueIn(await readBody(first, block.number, { account: address, from: 4, through: 4 }))
      const found = body && (await find(first, body, address, { nonce: 4, attempts: [] }))
      return typeof found === 'object' ? found.mined.hash : found
    },
  }
}

const signed = {
  'a legacy transaction': () => account.signTransaction({ ...common, type: 'legacy', gasPrice: 5n }),
  'one with an access list': () => account.signTransaction({ ...common, type: 'eip2930', gasPrice: 5n }),
  'one with a fee cap': () => account.signTransaction({ ...priced, type: 'eip1559' }),
  'one with blobs': () => account.signTransaction({ ...priced, ...blobs, type: 'eip4844' }),
  'one that sets code': async () => {
    const authorizationList = [await authorizationBy(other, 0)]
    return account.signTransaction({ ...priced, type: 'eip7702', authorizationList })
  },
}

test.each(Object.entries(signed))('%s proves itself, and altered it proves nothing', async (_, sign) => {
  const wire = shown(await sign(), address)
  expect(await network([[wire]]).find()).toBe(wire.hash)
  for (const altered of [
    { value: '0x8' },
    { hash: hashOf('d') },
    { r: hex(5n) },
    { input: '0xzz' },
    { chainId: '0x0' },
  ]) {
    const one = network([[{ ...wire, ...altered }]])
    expect(await one.find()).toBe('unproven')
    expect(one.strays).toHaveLength(1)
  }
})

test('a transaction that another account signed is not of the account that the node names', async () => {
  const raw = await other.signTransaction({ ...priced, type: 'eip1559' })
  expect(await network([[shown(raw, address)]]).find()).toBe('unproven')
})

test('a forged one beside the true one takes nothing away', async () => {
  const wire = shown(await signed['one with a fee cap'](), address)
  expect(await network([[{ ...wire, hash: hashOf('d') }, wire]]).find()).toBe(wire.hash)
})

test.each([
  [chainId, 'found'],
  [0, 'found'],
  [1, undefined],
])('an authorization for chain %i by the account itself: %s', async (chain, expected) => {
  const authorizationList = [await authorizationBy(account, 4, chain)]
  const raw = await other.signTransaction({ ...priced, nonce: 0, type: 'eip7702', authorizationList })
  const wire = shown(raw, other.address)
  expect(await network([[wire]]).find()).toBe(expected && wire.hash)
})

const systemTransaction: Wire = { hash: hashOf('e'), from: address, nonce: '0x4', to: receiver, type: '0x7e' }

test('one that no bytes prove counts where a second endpoint shows it in the same block', async () => {
  expect(await network([[systemTransaction], undefined, [systemTransaction]]).find()).toBe(systemTransaction.hash)
})

test('it never counts while another endpoint shows something else there', async () => {
  const { find, wait } = network([[systemTransaction], [], undefined])
  for (let reading = 0; reading < 100; reading += 1) {
    expect(await find()).toBe('unproven')
    wait(10_000)
  }
})

test('by the only endpoint it counts at the third reading, each ten seconds after the one before', async () => {
  const { find, wait } = network([[systemTransaction]])
  const found: unknown[] = []
  for (const ms of [0, 9_999, 1, 10_000]) {
    wait(ms)
    found.push(await find())
  }
  expect(found).toEqual(['unproven', 'unproven', 'unproven', systemTransaction.hash])
})

test('where the others are silent, it counts after ten minutes', async () => {
  const { find, wait } = network([[systemTransaction], undefined])
  for (const ms of [0, 10_000, 10_000, 579_999]) {
    wait(ms)
    expect(await find()).toBe('unproven')
  }
  wait(1)
  expect(await find()).toBe(systemTransaction.hash)
})
