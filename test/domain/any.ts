// Any values of the domain, for properties: every variant of every union, amounts up to 2^256 - 1.
import fc from 'fast-check'
import type { Attempt, BroadcastState, RejectionCode } from '../../src/domain/attempt.ts'
import { type Fees, type Market, type Pricing, speeds } from '../../src/domain/fees.ts'
import { type Hold, holdRules } from '../../src/domain/hold.ts'
import type { Address, ApiKeyId, Hash, Hex, NonEmpty, RelayerId, TransactionId } from '../../src/domain/ids.ts'
import type { AccessList, Inclusion, Lifecycle, Payload, Transaction } from '../../src/domain/transaction.ts'
import { maxWei, minWei } from '../../src/domain/units.ts'
import { someWaits } from './some-reasons.ts'

/** Plain objects, as read from a row. */
const record = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record<T>(members, { noNullPrototype: true })

const hex = (bytes: { minLength: number; maxLength: number }) =>
  fc.uint8Array(bytes).map((array): Hex => `0x${Buffer.from(array).toString('hex')}`)
const hexOf = (length: number) => hex({ minLength: length, maxLength: length })

const anyHash = hexOf(32) as fc.Arbitrary<Hash>
const anyAddress = hexOf(20) as fc.Arbitrary<Address>
const anyWei = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 63n, 2n ** 256n - 1n),
)
const anyCount = fc.oneof(fc.nat({ max: 1_000 }), fc.maxSafeNat(), fc.constant(Number.MAX_SAFE_INTEGER))
/** No NUL: not every database can hold one in a text. */
const anyText = fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => text.replaceAll('\0', ''))

const optional = <K extends string, T>(name: K, value: fc.Arbitrary<T>) =>
  fc.oneof(
    fc.constant({}),
    value.map((given) => ({ [name]: given }) as { [P in K]: T }),
  )

const anyPricing: fc.Arbitrary<Pricing> = fc.oneof(
  record({ kind: fc.constant('speed'), speed: fc.constantFrom(...speeds) }),
  record({ kind: fc.constant('legacy'), gasPrice: anyWei }),
  record({ kind: fc.constant('eip1559'), maxFeePerGas: anyWei, maxPriorityFeePerGas: anyWei }),
)

const anyAccessList: fc.Arbitrary<AccessList> = fc.array(
  record({ address: anyAddress, storageKeys: fc.array(hexOf(32), { maxLength: 3 }) }),
  { maxLength: 3 },
)

export const anyPayload: fc.Arbitrary<Payload> = fc
  .tuple(
    record({ from: anyAddress, value: anyWei, data: hex({ minLength: 0, maxLength: 200 }), pricing: anyPricing }),
    optional('to', anyAddress),
    optional('gasLimit', anyCount),
    optional('accessList', anyAccessList),
  )
  .map(([facts, to, gasLimit, accessList]) => ({ ...facts, ...to, ...gasLimit, ...accessList }))

const codes: readonly RejectionCode[] = [
  'nonceTooLow',
  'nonceGap',
  'replacementUnderpriced',
  'feeTooLow',
  'poolFull',
  'typeConflict',
  'insufficientFunds',
  'nodeLimit',
  'invalid',
]

const anyBroadcast: fc.Arbitrary<BroadcastState> = fc.oneof(
  fc.constantFrom<BroadcastState>({ state: 'sending' }, { state: 'withdrawn' }),
  record({ state: fc.constant('held'), reason: anyText }),
  record({
    state: fc.constant('handed'),
    at: anyCount,
    outcome: fc.oneof(
      fc.constantFrom({ kind: 'accepted' } as const, { kind: 'alreadyKnown' } as const),
      record({ kind: fc.constant('rejected'), code: fc.constantFrom(...codes), message: anyText }),
      record({ kind: fc.constant('unknown'), message: anyText }),
      record({ kind: fc.constant('unknown'), code: fc.constant('unrecognized'), message: anyText }),
    ),
  }),
  record({
    state: fc.constant('handed'),
    at: anyCount,
    outcome: record({ kind: fc.constant('rejected'), code: fc.constantFrom(...codes), message: anyText }),
    rejections: fc.constantFrom('all', 'allButLast'),
    refusedSince: anyCount,
  }),
  record({
    state: fc.constant('handed'),
    at: anyCount,
    outcome: record({ kind: fc.constant('unknown'), code: fc.constant('unrecognized'), message: anyText }),
    takenAt: anyCount,
    refusedSince: anyCount,
  }),
)

/** As a pool takes them: the tip never above the cap. */
const typedFees = (one: bigint, other: bigint): Fees => ({
  kind: 'eip1559',
  maxFeePerGas: maxWei(one, other),
  maxPriorityFeePerGas: minWei(one, other),
})
const legacyFees = (gasPrice: bigint): Fees => ({ kind: 'legacy', gasPrice })
const anyFees = fc.oneof(
  fc.tuple(anyWei, anyWei).map(([one, other]) => typedFees(one, other)),
  anyWei.map(legacyFees),
)

function anyAttemptOf(transactionId: TransactionId, nonce: number): fc.Arbitrary<Attempt> {
  const facts = record({
    hash: anyHash,
    transactionId: fc.constant(transactionId),
    nonce: fc.constant(nonce),
    kind: fc.constantFrom('execute', 'replace', 'cancel'),
    fees: anyFees,
    gasLimit: anyCount,
    raw: hex({ minLength: 1, maxLength: 200 }),
    signature: record({ r: anyHash, s: anyHash, v: anyCount }),
    recordedAt: anyCount,
    recordedAtBlock: anyCount,
    broadcast: anyBroadcast,
  })
  const marks = [optional('recovered', fc.constant(true)), optional('presigned', fc.constant(true))] as const
  return fc.tuple(facts, ...marks).map(([each, ...more]) => Object.assign({}, each, ...more))
}

const anyBlock = record({ number: anyCount, hash: anyHash })
const anyInclusion: fc.Arbitrary<Inclusion> = fc.oneof(
  fc
    .tuple(
      fc.oneof(
        record({
          by: fc.constant('attempt'),
          hash: anyHash,
          kind: fc.constantFrom('execute', 'replace', 'cancel'),
          block: anyBlock,
        }),
        record({ by: fc.constant('unrecorded'), hash: anyHash, block: anyBlock }),
      ),
      optional('succeeded', fc.boolean()),
      optional('gasUsed', anyCount),
      optional('effectiveGasPrice', anyWei),
      optional('l1Fee', anyWei),
    )
    .map(([facts, ...members]) => Object.assign({}, facts, ...members) as Inclusion),
  record({ by: fc.constant('external'), hash: anyHash, block: anyBlock }),
)

const anyConfirmation = optional('confirmedAt', anyCount)

const anyHold: fc.Arbitrary<Hold> = fc
  .tuple(
    record({ rule: fc.constantFrom(...holdRules), since: anyCount }),
    optional('by', fc.constant('key' as ApiKeyId)),
    optional('until', anyCount),
    optional(
      'request',
      fc.oneof(
        fc.constant({ kind: 'release' } as const),
        record({ kind: fc.constant('for'), ms: anyCount }),
        record({ kind: fc.constant('notBefore'), at: anyCount }),
      ),
    ),
  )
  .map(([facts, ...members]) => Object.assign({}, facts, ...members))

export function anyLifecycle(transactionId: TransactionId, anyNonce = anyCount): fc.Arbitrary<Lifecycle> {
  const bound = anyNonce.chain((nonce) =>
    record({
      nonce: fc.constant(nonce),
      attempts: fc.uniqueArray(anyAttemptOf(transactionId, nonce), {
        minLength: 1,
        maxLength: 4,
        selector: ({ hash }) => hash,
      }) as unknown as fc.Arbitrary<NonEmpty<Attempt>>,
    }),
  )
  return fc.oneof(
    fc.constant({ phase: 'queued' } as const),
    anyHold.map((hold) => ({ phase: 'held' as const, hold })),
    bound.map((facts) => ({ phase: 'inFlight' as const, ...facts })),
    fc
      .tuple(bound, anyInclusion, anyConfirmation)
      .map(([facts, inclusion, confirmed]) => ({ phase: 'mined' as const, ...facts, inclusion, ...confirmed })),
    fc
      .tuple(bound, anyInclusion, anyConfirmation, anyCount, fc.nat({ max: 9 }))
      .map(([facts, inclusion, confirmed, finalAt, witnesses]) => ({
        phase: 'final' as const,
        ...facts,
        inclusion,
        ...confirmed,
        finalAt,
        witnesses,
      })),
    record({
      phase: fc.constant('dropped'),
      reason: fc.constantFrom('canceled', 'expired', 'refused'),
      droppedAt: anyCount,
    }),
  )
}

/** In any phase, with any intent beside it: also where the two would never meet. */
export function anyTransaction(
  relayerId: RelayerId,
  id: TransactionId,
  sequence: number,
  anyNonce = anyCount,
): fc.Arbitrary<Transaction> {
  return fc
    .tuple(
      record({
        createdAt: anyCount,
        payload: anyPayload,
        origin: fc.constantFrom('client' as const, 'gap' as const),
        lifecycle: anyLifecycle(id, anyNonce),
        version: fc.nat({ max: 1_000 }),
      }),
      optional('validUntil', anyCount),
      optional(
        'cancellation',
        record({ origin: fc.constantFrom('request' as const, 'expiry' as const), requestedAt: anyCount }),
      ),
      optional('statusReason', anyText),
      optional('wait', fc.constantFrom(...someWaits)),
      optional('sentAt', anyCount),
      optional('suspectedNoOp', record({ hash: anyHash, nonce: anyCount })),
    )
    .map(([facts, ...members]) => ({ id, relayerId, sequence, ...facts, ...Object.assign({}, ...members) }))
}

/** Prices as chains have them, from an idle test chain to the worst hour of a busy one, tiny amounts included. */
const anyPrice = fc.oneof(fc.bigInt({ min: 0n, max: 40n }), fc.bigInt({ min: 0n, max: 10n ** 13n }))

export const anyMarket: fc.Arbitrary<Market & { baseFee: bigint }> = fc
  .tuple(anyPrice, fc.tuple(anyPrice, anyPrice, anyPrice, anyPrice), anyPrice)
  .map(([baseFee, tips, more]) => {
    const [safeLow = 0n, average = 0n, fast = 0n, fastest = 0n] = tips.sort((one, other) => (one < other ? -1 : 1))
    return { baseFee, tips: { safeLow, average, fast, fastest }, gasPrice: baseFee + more }
  })

export const anyPoolFees = fc.oneof(
  fc.tuple(anyPrice, anyPrice).map(([one, other]) => typedFees(one, other)),
  anyPrice.map(legacyFees),
)
