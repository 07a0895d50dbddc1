// Handmade values of the domain: each is complete, and a test names only what it is about.

import type { Attempt, BroadcastOutcome, BroadcastState } from '../../src/domain/attempt.ts'
import type { Situation, Work } from '../../src/domain/decide/plan/work.ts'
import { repeatAfter } from '../../src/domain/decide/race/repeat-after.ts'
import type { StoredEvent, TransactionEvent } from '../../src/domain/event.ts'
import { type Fees, type Market, strictestRule } from '../../src/domain/fees.ts'
import type { Hold } from '../../src/domain/hold.ts'
import type {
  Address,
  BulkId,
  Hash,
  Hex,
  NetworkName,
  NonEmpty,
  RelayerId,
  TransactionId,
} from '../../src/domain/ids.ts'
import type { Head, Observation } from '../../src/domain/observation.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { ethereumProfile } from '../../src/domain/profile.ts'
import type { NetworkPolicy, Relayer } from '../../src/domain/relayer.ts'
import type { Inclusion, InPhase, Payload, Transaction } from '../../src/domain/transaction.ts'

export const gwei = 1_000_000_000n
export const ether = 1_000_000_000n * gwei
export const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' as Address
export const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Address
/** Without those of bulk cancellations and of relayers. */
export function transactionEvents(events: readonly StoredEvent[]): readonly TransactionEvent[] {
  return events.flatMap((event) => ('transaction' in event ? [event] : []))
}

export const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
/** The head of `someObservation`. */
export const height = 100

export const idOf = (name: string | number) => `tx-${name}` as TransactionId
/** The object of a DELETE of everything pending. */
export const someBulk = () => ({ id: crypto.randomUUID() as string as BulkId })
export const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as Hash
export const blockHash = (number: number) => hashOf(0xb10c0000 + number)

export function eip1559(maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): Fees {
  return { kind: 'eip1559', maxFeePerGas, maxPriorityFeePerGas }
}

/** What the engine wants to read beside what rows need: nothing. */
export const broadcastStates = {
  sending: { state: 'sending' },
  held: { state: 'held', reason: 'no connection' },
  withdrawn: { state: 'withdrawn' },
  refused: calledInvalid(now),
  accepted: answered({ kind: 'accepted' }),
  known: answered({ kind: 'alreadyKnown' }),
  unknown: answered({ kind: 'unknown', message: 'timed out' }),
  underpriced: answered({ kind: 'rejected', code: 'replacementUnderpriced', message: 'underpriced' }),
  spent: answered({ kind: 'rejected', code: 'nonceTooLow', message: 'nonce too low' }),
} satisfies Record<string, BroadcastState>

/** Every node that received it called it invalid, each time since `since`. */
export function calledInvalid(at: number, since = at): Extract<BroadcastState, { state: 'handed' }> {
  const outcome = { kind: 'rejected', code: 'invalid', message: 'intrinsic gas too low' } as const
  return { state: 'handed', outcome, at, rejections: 'all', refusedSince: since }
}

export function answered(outcome: Exclude<BroadcastOutcome, { kind: 'unsent' }>, at = now): BroadcastState {
  return { state: 'handed', outcome, at }
}

export const someHold: Hold = { rule: 'hold', since: now }

export const somePolicies: Policies = { minBalance: 0n, maxInFlight: 4, eip1559Pricing: true }

export function someRelayer(changes: Partial<Relayer> = {}): Relayer {
  return {
    id: 'treasury' as RelayerId,
    name: 'Treasury',
    network: 'localhost' as NetworkName,
    chainId: 31_337,
    address,
    signerId: 'dev',
    paused: false,
    policies: somePolicies,
    ...changes,
  }
}

export const somePolicy: NetworkPolicy = {
  chainId: 31_337,
  eip1559: true,
  requiredConfirmations: 3,
  // Counts as the required confirmations, whatever a test changes them to.
  finality: 1,
  bumpAfter: { blocks: 3, ms: 0 },
  cancelBumpAfter: { blocks: 2, ms: 0 },
  profile: ethereumProfile,
  rebroadcastAfter: { blocks: 60, ms: 0 },
  averageBlocktimeMs: 1_000,
  secondWitness: 'off',
  witnessSilentMs: 600_000,
}

/** By the configured block time: no observation here measures another. */
export const someRepeatAfter = repeatAfter({}, somePolicy)

export const somePayload: Payload = {
  from: address,
  to: receiver,
  value: 1n,
  data: '0x',
  gasLimit: 21_000,
  pricing: { kind: 'speed', speed: 'average' },
}

export function queued(sequence: number, changes: Partial<Transaction> = {}): InPhase<'queued'> {
  return {
    id: idOf(sequence),
    relayerId: 'treasury' as RelayerId,
    sequence,
    createdAt: now - 60_000,
    payload: somePayload,
    origin: 'client',
    version: 1,
    ...changes,
    lifecycle: { phase: 'queued' },
  }
}

let attemptsMade = 0
/** A hash of its own each time; accepted by a node at the head by default. */
export function someAttempt(nonce: number, changes: Partial<Attempt> = {}): Attempt & { readonly raw: Hex } {
  attemptsMade += 1
  return {
    hash: hashOf(attemptsMade),
    transactionId: idOf(nonce),
    nonce,
    kind: 'execute',
    fees: eip1559(20n * gwei, 2n * gwei),
    gasLimit: 21_000,
    raw: `0x02${attemptsMade.toString(16).padStart(8, '0')}`,
    signature: { r: hashOf(1), s: hashOf(2), v: 1 },
    recordedAt: now,
    recordedAtBlock: height,
    broadcast: broadcastStates.accepted,
    ...changes,
  }
}

export const someNoOp = (nonce: number, changes: Partial<Attempt> = {}) =>
  someAttempt(nonce, { kind: 'cancel', fees: eip1559(40n * gwei, 4n * gwei), ...changes })

export const canceled = { cancellation: { origin: 'request', requestedAt: now - 1_000 } } as const

/** Its id and sequence follow its nonce. */
export function inFlight(
  nonce: number,
  attempts: NonEmpty<Attempt> = [someAttempt(nonce)],
  changes: Partial<Transaction> = {},
): InPhase<'inFlight'> {
  return { ...queued(nonce, { sentAt: now, ...changes }), lifecycle: { phase: 'inFlight', nonce, attempts } }
}

export function by(attempt: Attempt, block = height, succeeded = true): Inclusion {
  return {
    by: 'attempt',
    hash: attempt.hash,
    kind: attempt.kind,
    block: { number: block, hash: blockHash(block) },
    succeeded,
    gasUsed: 21_000,
    effectiveGasPrice: 3n * gwei,
  }
}

export function byForeign(block = height): Inclusion {
  return { by: 'external', hash: hashOf(0xdead), block: { number: block, hash: blockHash(block) } }
}

export function mined(
  nonce: number,
  inclusion: Inclusion,
  attempts: NonEmpty<Attempt>,
  changes: Partial<Transaction> = {},
): InPhase<'mined'> {
  return { ...queued(nonce, changes), lifecycle: { phase: 'mined', nonce, attempts, inclusion } }
}

export const someMarket: Market = {
  baseFee: 10n * gwei,
  tips: { safeLow: 1n * gwei, average: 2n * gwei, fast: 3n * gwei, fastest: 4n * gwei },
  gasPrice: 12n * gwei,
}

/** By which a bulk cancellation reckons. */
export const someReckoning = {
  policyOf: () => somePolicy,
  priceOf: () => ({ market: someMarket, block: 100 }),
}

export const someHead: Head = {
  number: height,
  hash: blockHash(height),
  parentHash: blockHash(height - 1),
  timestampMs: now,
  baseFee: 10n * gwei,
}

export function headAt(number: number, changes: Partial<Head> = {}): Head {
  return { ...someHead, number, hash: blockHash(number), parentHash: blockHash(number - 1), ...changes }
}

export function someObservation(changes: Partial<Observation> = {}): Observation {
  return {
    head: someHead,
    nonce: 0,
    market: someMarket,
    rule: strictestRule,
    balance: 10n * ether,
    inclusions: new Map(),
    canonical: new Map(),
    estimates: new Map(),
    ...changes,
  }
}

export function someWork(changes: Partial<Work> = {}): Work {
  return {
    relayer: someRelayer(),
    floor: { spentBelow: 0, explainedBelow: 0 },
    open: [],
    queued: [],
    suspected: [],
    expiring: [],
    held: [],
    lastSequence: 0,
    // Each gap was a nonce of ours.
    gapRecord: { released: { has: () => true }, filledInHour: 0, permitted: 0 },
    ...changes,
  }
}

/** What a step decides by; nothing of it may be written to. */
export function someSituation(
  work: Partial<Work>,
  observed: Partial<Observation> = {},
  policy: Partial<NetworkPolicy> = {},
  at = now,
): Situation {
  return frozen({
    work: someWork(work),
    observation: someObservation(observed),
    policy: { ...somePolicy, ...policy },
    now: at,
  })
}

/** Freezes all the way down, so that any write throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    const inner = value instanceof Map ? [...value.values()] : Object.values(value)
    for (const each of inner) frozen(each)
  }
  return value
}
