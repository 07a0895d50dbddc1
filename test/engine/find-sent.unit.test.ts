// What a lost part of the history sent, found in more than one look.
import { expect, test } from 'vitest'
import { checkHistory } from '../../src/domain/decide/lost-history/check-history.ts'
import type { LostHistory, Spender } from '../../src/domain/observation.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import { replace } from '../../src/domain/replace.ts'
import type { Transaction } from '../../src/domain/transaction.ts'
import { findSent } from '../../src/engine/find-sent.ts'
import type { Reads } from '../../src/store/store.ts'
import {
  address,
  blockHash,
  hashOf,
  headAt,
  height,
  now,
  queued,
  receiver,
  someNoOp,
  somePayload,
  someRelayer,
  someWork,
} from '../domain/some.ts'

const through = 9
type Queued = Transaction
const sent = (sequence: number) => queued(sequence, { payload: { ...somePayload, value: BigInt(sequence) } })
const [one, two] = [sent(1), sent(2)]

function spender(nonce: number, to: typeof address, value: bigint): Spender {
  const { raw, signature, fees } = someNoOp(nonce)
  const block = { number: height - 5, hash: blockHash(height - 5) }
  const signed = { to, value, data: '0x', gasLimit: 21_000, raw, signature, fees } as const
  return { nonce, hash: hashOf(0xf00 + nonce), block, minedAt: now, signed }
}

const reads = (queue: readonly Queued[]) =>
  ({
    hasAttempt: async () => false,
    queueThrough: async () => queue,
    transactionByNonce: async () => undefined,
    firstSequenceAbove: async () => undefined,
    droppedSince: async () => [],
  }) satisfies Partial<Reads> as unknown as Reads

async function look(
  lostHistory: LostHistory,
  queue: readonly Queued[],
  spenders: readonly Spender[],
  policies: Partial<Relayer['policies']> = {},
) {
  const work = someWork({
    relayer: someRelayer({ policies: { ...someRelayer().policies, ...policies } }),
    queued: queue,
    lostHistory,
    floor: { spentBelow: 0, explainedBelow: spenders[0]?.nonce ?? 0 },
  })
  const found = await findSent(reads(queue), work, spenders)
  const below = (spenders.at(-1)?.nonce ?? 0) + 1
  const checked = { ...work, ...found }
  const at = { nonce: below, head: headAt(height), confirmations: 3 }
  return { found, check: checkHistory(checked, checked, { below, finalBelow: below, spenders }, at) }
}

test('the order proves nothing above a nonce that an unknown transaction took, also in a later look', async () => {
  const seen = { below: 7, at: height - 9, isWhole: true }
  const first = await look({ through, seen }, [one, two], [spender(5, receiver, 99n), spender(6, receiver, 1n)])
  expect(first.check.decisions).toMatchObject([{ do: 'recover', transaction: { sequence: 1 } }])
  expect(first.check.lostHistory).toMatchObject({ through, foreign: 5 })
  if (!first.check.lostHistory) throw new Error('the check goes on')

  // The look names the spender of 5 no more: that nonce is explained by now.
  const noOp = spender(7, address, 0n)
  const later = await look(first.check.lostHistory, [two], [noOp])
  expect(later.found.noOpMatches).toMatchObject({ canceled: [], suspected: [{ transaction: { sequence: 2 } }] })
  const unbroken = await look({ through, seen }, [two], [noOp])
  expect(unbroken.found.noOpMatches).toMatchObject({ canceled: [{ transaction: { sequence: 2 } }], suspected: [] })
})

test('the order proves nothing about one that others passed, nor where they may have', async () => {
  const seen = { below: 7, at: height - 9, isWhole: true }
  // The lost history passed the first, sent the third and the fourth, and canceled the first between them.
  const [third, fourth] = [sent(3), sent(4)]
  const spenders = [spender(5, receiver, 3n), spender(6, address, 0n), spender(7, receiver, 4n)]
  const suspected = { canceled: [], suspected: [{ transaction: { sequence: 1 } }] }
  const passed = { ...one, wasPassed: true as const }
  expect((await look({ through, seen }, [passed, third, fourth], spenders)).found.noOpMatches).toMatchObject(suspected)
  const policies = { skipUnfunded: true }
  expect((await look({ through, seen }, [one, third, fourth], spenders, policies)).found.noOpMatches).toMatchObject(
    suspected,
  )
})

test('the order proves nothing where an earlier restore left one unclear, which others pass, also once a PUT decided', async () => {
  const seen = { below: 6, at: height - 9, isWhole: true }
  // The lost history sent the third, and canceled the first after a PUT.
  const [third, fourth] = [sent(3), sent(4)]
  const spenders = [spender(5, receiver, 3n), spender(6, address, 0n)]
  const unclear = { ...one, suspectedNoOp: { hash: hashOf(0xabc), nonce: 2 } }
  const { found } = await look({ through, seen }, [unclear, third, fourth], spenders)
  expect(found.noOpMatches).toMatchObject({ canceled: [], suspected: [{ transaction: { sequence: 4 } }] })
  const { payload } = sent(1)
  const decided = replace(unclear, { ...payload, value: 11n }, 'public')
  const after = await look({ through, seen }, [decided as Queued, third, fourth], spenders)
  const either = [{ transaction: { sequence: 1 } }, { transaction: { sequence: 4 } }]
  expect(after.found.noOpMatches).toMatchObject({ canceled: [], suspected: either })
})

test('those that the same look left unclear were passed by none: the order proves as before', async () => {
  const seen = { below: 8, at: height - 9, isWhole: true }
  const spenders = [spender(5, address, 0n), spender(6, receiver, 3n), spender(7, address, 0n)]
  const suspectedNoOp = { hash: spenders[0]?.hash ?? hashOf(1), nonce: 5 }
  const marked = [one, two].map((each) => ({ ...each, suspectedNoOp }))
  const { found } = await look({ through, seen }, [...marked, sent(3), sent(4)], spenders)
  expect(found.noOpMatches).toMatchObject({ canceled: [{ transaction: { sequence: 4 } }], suspected: [] })
})

test('the order proves nothing about one that was on hold, also once this copy has released it', async () => {
  const seen = { below: 7, at: height - 9, isWhole: true }
  // The lost history sent the third and the fourth before it released the first, whose no-op took the nonce between them.
  const [third, fourth] = [sent(3), sent(4)]
  const spenders = [spender(5, receiver, 3n), spender(6, address, 0n), spender(7, receiver, 4n)]
  const released = { ...one, wasHeld: true as const }
  const after = await look({ through, seen }, [released, third, fourth], spenders)
  expect(after.found.noOpMatches).toMatchObject({ canceled: [], suspected: [{ transaction: { sequence: 1 } }] })
  const decisions = after.check.decisions.map((each) => each.do)
  expect(decisions.toSorted()).toEqual(['recover', 'recover', 'suspect'])
  const held = { ...one, lifecycle: { phase: 'held', hold: { rule: 'hold', since: now } } } as const
  const before = await look({ through, seen }, [held, third, fourth], spenders)
  expect(before.found.noOpMatches).toMatchObject({ canceled: [], suspected: [{ transaction: { sequence: 1 } }] })
})
