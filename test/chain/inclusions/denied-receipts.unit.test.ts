// When a node's word counts as "there is no receipt": a nonce is settled by its block alone on the strength of it.
import { expect, test } from 'vitest'
import { readReceipts } from '../../../src/chain/inclusions/read-receipts.ts'
import type { Answer } from '../../../src/chain/nodes/call.ts'
import type { Endpoint } from '../../../src/chain/nodes/endpoint.ts'
import type { Hash } from '../../../src/domain/ids.ts'
import type { LiveNonce } from '../../../src/domain/observation.ts'

const hashOf = (digit: string) => `0x${digit.repeat(64)}` as Hash
const fees = { kind: 'legacy', gasPrice: 1n } as const

function live(nonce: number, ...hashes: readonly Hash[]): LiveNonce {
  const attempts = hashes.map((hash) => ({ hash, kind: 'execute', fees, gasLimit: 21_000 }) as const)
  return { nonce, attempts }
}

async function deniedBy(answers: Readonly<Record<Hash, Answer>>, open: readonly LiveNonce[]) {
  const endpoint: Partial<Endpoint> = {
    call: async ({ params: [hash] }) => answers[hash as Hash] ?? { kind: 'unknown', message: 'no answer' },
  }
  const head = { number: 9, hash: hashOf('9'), parentHash: hashOf('8'), timestampMs: 0 }
  const at = { head, by: endpoint as Endpoint }
  const { denied } = await readReceipts(endpoint as Endpoint, async () => new Map(), open, at)
  return [...denied]
}

const none: Answer = { kind: 'value', value: null }

test('a node that answers null for each attempt has no receipt', async () => {
  const [one, other] = [hashOf('1'), hashOf('2')]
  expect(await deniedBy({ [one]: none, [other]: none }, [live(4, one, other)])).toEqual([4])
})

test.each<[string, Answer]>([
  ['no answer', { kind: 'unknown', message: 'no answer within 10000 ms' }],
  ['no connection', { kind: 'unsent', message: 'no connection' }],
])('%s for one of the attempts says nothing of the nonce', async (_, silence) => {
  const [one, other] = [hashOf('1'), hashOf('2')]
  const denied = await deniedBy({ [one]: none, [other]: silence, [hashOf('3')]: none }, [
    live(4, one, other),
    live(5, hashOf('3')),
  ])
  expect(denied).toEqual([5])
})

test('a receipt that is too large to be read is as good as none: the block proves the inclusion', async () => {
  const tooLarge: Answer = { kind: 'unknown', message: 'an answer of more than 25165824 bytes', isTooLarge: true }
  const [one, other, third] = [hashOf('1'), hashOf('2'), hashOf('3')]
  const denied = await deniedBy({ [one]: none, [other]: tooLarge, [third]: tooLarge }, [
    live(4, one, other),
    live(5, third, hashOf('4')),
  ])
  expect(denied).toEqual([4])
})
