// Rows for the store: relayers, and transactions in any phase.
import type { Attempt, AttemptKind } from '../../../src/domain/attempt.ts'
import type { Address, Hash, NetworkName, RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import type { Relayer } from '../../../src/domain/relayer.ts'
import type { Inclusion, Lifecycle, Transaction } from '../../../src/domain/transaction.ts'
import type { Store } from '../../../src/store/store.ts'

export const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' as Address
export const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Address
export const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)

export function relayer(id: string, changes: Partial<Relayer> = {}): Relayer {
  return {
    id: id as RelayerId,
    name: `Relayer ${id}`,
    network: 'localhost' as NetworkName,
    chainId: 31337,
    address,
    signerId: 'dev',
    paused: false,
    policies: { minBalance: 0n, maxInFlight: 16, eip1559Pricing: true },
    ...changes,
  }
}

export function hashOf(seed: number): Hash {
  return `0x${seed.toString(16).padStart(64, '0')}`
}

export function attempt(transactionId: TransactionId, seed: number, kind: AttemptKind = 'execute', nonce = 7): Attempt {
  return {
    hash: hashOf(seed),
    transactionId,
    nonce,
    kind,
    fees: {
      kind: 'eip1559',
      maxFeePerGas: 30_000_000_000n + BigInt(seed),
      maxPriorityFeePerGas: 1_000_000_000n + BigInt(seed),
    },
    gasLimit: kind === 'cancel' ? 21_000 : 50_000,
    raw: `0x02${seed.toString(16).padStart(64, '0')}`,
    signature: { r: hashOf(seed + 1), s: hashOf(seed + 2), v: 1 },
    recordedAt: at,
    recordedAtBlock: 90,
    broadcast: { state: 'handed', outcome: { kind: 'accepted' }, at: at + 5 },
  }
}

export function inclusion(spender: Attempt, changes: { succeeded?: boolean; gasUsed?: 'unknown' } = {}): Inclusion {
  return {
    by: 'attempt',
    hash: spender.hash,
    kind: spender.kind,
    block: { number: 100, hash: hashOf(0xb10c) },
    succeeded: changes.succeeded ?? true,
    ...(changes.gasUsed !== 'unknown' && { gasUsed: 21_000 }),
    effectiveGasPrice: 2_000_000_000n,
  }
}

export function transaction(id: string, lifecycle: Lifecycle, changes: Partial<Transaction> = {}): Transaction {
  return {
    id: id as TransactionId,
    relayerId: 'one' as RelayerId,
    sequence: 0,
    createdAt: at,
    payload: {
      from: address,
      to: receiver,
      value: 10n ** 21n,
      data: '0xabcd',
      pricing: { kind: 'speed', speed: 'fast' },
    },
    origin: 'client',
    lifecycle,
    version: 1,
    ...changes,
  }
}

/** Stores it next in its relayer's order. */
export async function put(store: Store, row: Transaction): Promise<Transaction> {
  return store.commit(async (session) => {
    const next = await session.reserveSequence(row.relayerId)
    if (!next) throw new Error(`no relayer ${row.relayerId} to store for`)
    const stored = { ...row, sequence: next.sequence }
    await session.insertTransaction(stored)
    return stored
  })
}

/** Stores one in each phase that a test may want, under ids that name it. */
export async function putEveryPhase(store: Store): Promise<void> {
  let nonce = 0
  const inPhase = (id: string, phase: (attempts: [Attempt]) => Lifecycle, changes: Partial<Transaction> = {}) => {
    const own = attempt(id as TransactionId, 0x1000 * (nonce + 1), 'execute', nonce)
    nonce += 1
    return put(store, transaction(id, phase([own]), changes))
  }
  await inPhase(
    'confirmed',
    ([own]) => ({
      phase: 'final',
      nonce: 0,
      attempts: [own],
      inclusion: inclusion(own),
      finalAt: at + 9000,
      witnesses: 1,
    }),
    { sentAt: at + 1 },
  )
  await inPhase('failed', ([own]) => ({
    phase: 'final',
    nonce: 1,
    attempts: [own],
    inclusion: inclusion(own, { succeeded: false }),
    finalAt: at + 9000,
    witnesses: 1,
  }))
  await inPhase('mined', ([own]) => ({ phase: 'mined', nonce: 2, attempts: [own], inclusion: inclusion(own) }))
  await inPhase('submitted', ([own]) => ({ phase: 'inFlight', nonce: 3, attempts: [own] }), { sentAt: at + 1 })
  await inPhase('sent', ([own]) => ({
    phase: 'inFlight',
    nonce: 4,
    attempts: [{ ...own, broadcast: { state: 'held', reason: 'no endpoint was reached' } }],
  }))
  await put(store, transaction('queued', { phase: 'queued' }))
  await put(
    store,
    transaction(
      'expired',
      { phase: 'dropped', reason: 'expired', droppedAt: at },
      { cancellation: { origin: 'expiry', requestedAt: at } },
    ),
  )
}
