// The account as of some blocks before the head: from a node, or from readings of this process that are old enough.
import { expect, test } from 'vitest'
import { readingLagged } from '../../../src/chain/accounts/read-lagged.ts'
import type { TrackedHead } from '../../../src/chain/heads/track-head.ts'
import type { Answer, Call } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import { address, headAt } from '../../domain/some.ts'

type Has = (block: number) => { readonly balance: bigint; readonly nonce: number } | undefined

function endpointWith(has: Has, state: { fit?: boolean } = {}): Endpoint & { readonly calls: Call[] } {
  const calls: Call[] = []
  const call = async (each: Call): Promise<Answer> => {
    calls.push(each)
    const account = has(Number(each.params[1]))
    if (!account) return { kind: 'rpcError', code: -32000, message: 'missing trie node' } as Answer
    const value = each.method === 'eth_getBalance' ? account.balance : account.nonce
    return { kind: 'value', value: `0x${value.toString(16)}` } as Answer
  }
  return { fit: () => state.fit ?? true, ready: async () => undefined, call, calls } as never
}

const none: Has = () => undefined
const at = (number: number) => ({ head: headAt(number) }) as TrackedHead
const reading = (...all: Endpoint[]) => readingLagged({ order: () => all }, 3)

test('is read from a node, so many blocks below the head, and not below the first block', async () => {
  const node = endpointWith((block) => ({ balance: BigInt(block), nonce: block + 1 }))
  expect(await reading(node).read(address, at(100), {})).toEqual({ balance: 97n, nonce: 98 })
  expect(await reading(node).read(address, at(2), {})).toEqual({ balance: 0n, nonce: 1 })
})

test('is read from the next node where one has no state so old, or is unfit', async () => {
  const [unfit, pruned] = [endpointWith(() => ({ balance: 5n, nonce: 5 }), { fit: false }), endpointWith(none)]
  const node = endpointWith(() => ({ balance: 7n, nonce: 2 }))
  expect(await reading(unfit, pruned, node).read(address, at(100), {})).toEqual({ balance: 7n, nonce: 2 })
  expect(unfit.calls).toEqual([])
})

test('is an earlier reading of this process where no node has it, once that is old enough', async () => {
  const lagged = reading(endpointWith(none))
  const seen = (number: number, balance: bigint, nonce = 0) => lagged.read(address, at(number), { balance, nonce })
  expect(await seen(100, 1n)).toBeUndefined()
  expect(await seen(102, 9n)).toBeUndefined()
  expect(await seen(103, 9n)).toEqual({ balance: 1n, nonce: 0 })
  expect(await seen(104, 9n, 1)).toEqual({ balance: 1n, nonce: 0 })
  expect(await seen(105, 9n, 1)).toEqual({ balance: 9n, nonce: 0 })
  expect(await seen(107, 9n, 1)).toEqual({ balance: 9n, nonce: 1 })
})

test('is no reading of a branch that a reorganization left, and none of an unknown balance', async () => {
  const lagged = reading(endpointWith(none))
  await lagged.read(address, at(103), { balance: 5n, nonce: 0 })
  await lagged.read(address, at(102), { balance: 4n, nonce: 0 })
  expect(await lagged.read(address, at(105), { balance: 3n, nonce: 0 })).toEqual({ balance: 4n, nonce: 0 })
  const blind = reading(endpointWith(none))
  await blind.read(address, at(100), { nonce: 0 })
  expect(await blind.read(address, at(110), { balance: 1n, nonce: 0 })).toBeUndefined()
})
