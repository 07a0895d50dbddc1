// A verdict is final only once two endpoints show the spender in its block; what they refute is open again.
import { expect, test } from 'vitest'
import { cancel, verdictOn } from '../../../../src/domain/cancel.ts'
import { decide } from '../../../../src/domain/decide/decide.ts'
import { include } from '../../../../src/domain/decide/facts/inclusion.ts'
import { awaitWitness, lacksWitness, witnessesToCall } from '../../../../src/domain/decide/rules/second-witness.ts'
import { refusalOfReplacement } from '../../../../src/domain/refusals.ts'
import type { NetworkPolicy } from '../../../../src/domain/relayer.ts'
import { feesPaid, type InPhase, statusOf } from '../../../../src/domain/transaction.ts'
import { sentenceOf } from '../../../../src/domain/wait-sentence.ts'
import { claimOf, isProven, isRefuted, type Testimony } from '../../../../src/domain/witness.ts'
import {
  by,
  gwei,
  headAt,
  height,
  inFlight,
  mined,
  now,
  someAttempt,
  someObservation,
  somePolicy,
  someSituation,
  someWork,
} from '../../some.ts'

const policy = { ...somePolicy, secondWitness: 'prefer' } as const
const required = { ...policy, secondWitness: 'require' } as const
const nobody: Testimony = {
  ...{
    shownBy: [],
    listedBy: [],
    refutedBy: [],
    unlistedBy: [],
    elsewhereBy: [],
    providers: 3,
    silentMs: 0,
    laterBlocks: 3,
  },
}
const long = policy.witnessSilentMs

test.each<[string, Partial<Testimony>, { prefer: boolean; require: boolean }]>([
  ['two show it', { shownBy: [0, 1] }, { prefer: true, require: true }],
  ['two show it, and a third denies it', { shownBy: [0, 1], refutedBy: [2] }, { prefer: true, require: true }],
  ['one shows it, and the others are silent for a moment', { shownBy: [0] }, { prefer: false, require: false }],
  ['and for long', { shownBy: [0], silentMs: long }, { prefer: true, require: false }],
  [
    'and for long, in a block of just now',
    { shownBy: [0], silentMs: long, laterBlocks: 2 },
    { prefer: false, require: false },
  ],
  [
    'all endpoints have one provider, and its block is the newest',
    { shownBy: [0], providers: 1, laterBlocks: 0 },
    { prefer: true, require: false },
  ],
  [
    'one shows it, and one refutes it',
    { shownBy: [0], refutedBy: [1], silentMs: long },
    { prefer: false, require: false },
  ],
  [
    'one shows it, and one has another block',
    { shownBy: [0], elsewhereBy: [1], silentMs: long },
    { prefer: false, require: false },
  ],
  ['all endpoints have one provider', { shownBy: [0], providers: 1 }, { prefer: true, require: false }],
  [
    'one shows it, and one lists it without a result',
    { shownBy: [0], listedBy: [1] },
    { prefer: false, require: false },
  ],
  ['and for long', { shownBy: [0], listedBy: [1], silentMs: long }, { prefer: true, require: true }],
  ['the only provider lists it without a result', { listedBy: [0], providers: 1 }, { prefer: true, require: false }],
  ['nobody shows it', { silentMs: long }, { prefer: false, require: false }],
])('%s', (_, said, expected) => {
  const testimony = { ...nobody, ...said }
  expect({ prefer: isProven(testimony, policy), require: isProven(testimony, required) }).toEqual(expected)
})

test('before anybody was called nothing is proven, and without the rule everything', () => {
  expect(isProven(undefined, policy)).toBe(false)
  expect(isProven(undefined, somePolicy)).toBe(true)
})

test.each<[string, Partial<Testimony>, boolean]>([
  ['two refute what one shows', { shownBy: [0], refutedBy: [1, 2] }, true],
  ['one refutes what one shows', { shownBy: [0], refutedBy: [1], silentMs: long }, false],
  ['one refutes it, and the others may answer yet', { refutedBy: [1] }, false],
  ['one refutes it, and the others are silent for long', { refutedBy: [1], silentMs: long }, true],
  ['the only provider refutes its own word', { refutedBy: [0], providers: 1 }, true],
  ['two show it', { shownBy: [0, 1], refutedBy: [2, 3] }, false],
  ['two have another block', { elsewhereBy: [1, 2] }, false],
])('%s: refuted', (_, said, expected) => {
  expect(isRefuted({ ...nobody, ...said }, policy)).toBe(expected)
})

test('the result belongs to the claim of a payload, and not to that of a no-op', () => {
  const { hash, block } = by(someAttempt(0))
  const failed = { by: 'attempt', kind: 'execute', hash, block, succeeded: false } as const
  expect(claimOf(failed)).toEqual({ hash, block, succeeded: false })
  expect(claimOf({ ...failed, kind: 'cancel' })).toEqual({ hash, block })
  expect(claimOf({ by: 'external', hash, block })).toEqual({ hash, block })
})

function decided(testimony: Partial<Testimony> | undefined, changes: Partial<NetworkPolicy> = {}) {
  const inclusion = by(someAttempt(0))
  const transaction = include(inFlight(0, [{ ...someAttempt(0), hash: inclusion.hash }]), inclusion) as InPhase<'mined'>
  const observation = someObservation({
    nonce: 1,
    head: headAt(height + somePolicy.requiredConfirmations),
    canonical: new Map([[inclusion.block.number, inclusion.block.hash]]),
    ...(testimony && { testimonies: new Map([[inclusion.hash, { ...nobody, ...testimony }]]) }),
  })
  const changed = { ...policy, ...changes }
  return decide({ work: someWork({ open: [transaction] }), observation, policy: changed, now }).decisions
}

test('a transaction deep enough is settled by two, waits for a second, and is open again once refuted', () => {
  expect(decided({ shownBy: [0, 1] })).toMatchObject([{ do: 'finalize', witnesses: 2 }])
  expect(decided(undefined)).toEqual([])
  expect(decided({ shownBy: [0] })).toEqual([])
  expect(decided({ shownBy: [0], refutedBy: [1, 2] })).toMatchObject([{ do: 'reopen', why: 'refuted' }])
})

test.each([
  ['two endpoints show the same charge', { gasUsed: 20_000, effectiveGasPrice: 7n, l1Fee: 5n }, 140_005n],
  ['no two show the same', undefined, undefined],
])('%s: it is the cost of the final transaction, or there is none', (_what, charge, cost) => {
  const testimony = { shownBy: [0, 1], ...(charge && { charge }) }
  const [final] = decided(testimony)
  if (final?.do !== 'finalize' || final.inclusion.by === 'external') throw new Error('it is not final')
  expect(feesPaid(final.inclusion)).toBe(cost)
  expect(final.inclusion.succeeded).toBe(true)
})

const oneWord = 21_000n * 3n * gwei
test.each([
  ['prefer', { shownBy: [0], silentMs: long }, oneWord],
  // The other one lists it, and never has a receipt.
  ['prefer', { shownBy: [0], listedBy: [1], silentMs: long }, oneWord],
  ['require', { shownBy: [0], listedBy: [1], silentMs: long }, undefined],
  ['off', { shownBy: [0, 1] }, oneWord],
] as const)('with %s, by %o: one receipt makes a cost of %s', (secondWitness, testimony, cost) => {
  const [final] = decided(testimony, { secondWitness })
  if (final?.do !== 'finalize' || final.inclusion.by === 'external') throw new Error('it is not final')
  expect(feesPaid(final.inclusion)).toBe(cost)
})

test('a second receipt that is lost is awaited', () => {
  expect(decided({ shownBy: [0], listedBy: [1], silentMs: 1 }).map((each) => each.do)).not.toContain('finalize')
})

test('each wait says what to do', () => {
  const [contradicted] = decided({ shownBy: [0], refutedBy: [1], elsewhereBy: [2] })
  expect(contradicted).toMatchObject({ condition: 'witnesses_contradict', facts: { shownBy: [0], deniedBy: [1, 2] } })
  const [silent] = decided({ shownBy: [0], silentMs: 60_000 })
  expect(silent).toMatchObject({ condition: 'witness_silent', facts: { mode: 'prefer' } })
  if (contradicted?.do !== 'explain' || silent?.do !== 'explain') throw new Error('no wait')
  expect(sentenceOf(contradicted, true)).toMatch(
    /^canceled; by endpoint 0, .* and endpoint 1 and endpoint 2 denied that/,
  )
  expect(sentenceOf(silent, false)).toMatch(/after ten minutes of silence one suffices/)
})

test('where one endpoint suffices no witness is called, and nothing waits for one', () => {
  const attempt = someAttempt(0)
  const transaction = mined(0, by(attempt), [attempt])
  const situation = someSituation({ open: [transaction] })
  expect(witnessesToCall(situation.work, situation.policy)).toBeUndefined()
  expect(awaitWitness(transaction, situation)).toBeUndefined()
  const unseen = { ...situation.observation, testimonies: new Map([[transaction.lifecycle.inclusion.hash, nobody]]) }
  expect([lacksWitness(unseen, somePolicy), lacksWitness(unseen, policy)]).toEqual([false, true])
  expect(witnessesToCall(situation.work, policy)?.claims).toHaveLength(1)
})

const denied = { shownBy: [0], refutedBy: [1], unlistedBy: [1], laterBlocks: 1 }

/** Two confirmations, of which a payload needs more to be confirmed. */
function decidedSoon(testimony: Partial<Testimony>, changes: Partial<InPhase<'mined'>> = {}, isContradicted = false) {
  const inclusion = by(someAttempt(0))
  const known = include(inFlight(0, [{ ...someAttempt(0), hash: inclusion.hash }]), inclusion) as InPhase<'mined'>
  const lifecycle = { ...known.lifecycle, ...(isContradicted && { isContradicted }) }
  const observation = someObservation({
    nonce: 1,
    head: headAt(inclusion.block.number + 1),
    canonical: new Map([[inclusion.block.number, inclusion.block.hash]]),
    testimonies: new Map([[inclusion.hash, { ...nobody, ...testimony }]]),
  })
  const open = [{ ...known, lifecycle, ...changes }]
  const slow = { ...policy, requiredConfirmations: 12 }
  return decide({ work: someWork({ open }), observation, policy: slow, now }).decisions.map(({ do: what }) => what)
}

test('one provider shows the block without a payload: it counts as in flight, until two show it there', () => {
  expect(decidedSoon(denied)).toEqual(['contradict', 'explain'])
  expect(decidedSoon(denied, {}, true)).toEqual(['explain'])
  expect(decidedSoon({ shownBy: [0, 2], refutedBy: [1], unlistedBy: [1] }, {}, true)).toEqual(['contradict'])
  expect(decidedSoon({ shownBy: [0] }, {}, true)).toEqual([])
  expect(decidedSoon({ shownBy: [0], elsewhereBy: [1] })).toEqual([])
  expect(decidedSoon({ shownBy: [0], refutedBy: [1] })).toEqual([])
  expect(decidedSoon({ shownBy: [0], refutedBy: [1, 2], unlistedBy: [1, 2] })).toEqual(['reopen'])
})

test('a contradicted inclusion ends no cancellation, and expires', () => {
  const origins = ['request', 'expiry', 'refusal'] as const
  const decisions = origins.map((origin) => decidedSoon(denied, { cancellation: { origin, requestedAt: now } }))
  expect(decisions).toEqual([['reopen'], ['reopen'], []])
  expect(decidedSoon(denied, { validUntil: now }, true)).toEqual(['expire'])
})

test('what is contradicted is submitted: a cancel takes it back into its race, and no replacement follows', () => {
  const attempt = someAttempt(0)
  const known = mined(0, by(attempt), [attempt])
  const contradicted = { ...known, lifecycle: { ...known.lifecycle, isContradicted: true as const } }
  expect([statusOf(known), statusOf(contradicted)]).toEqual(['mined', 'submitted'])
  const canceled = cancel(contradicted, now)
  expect(canceled.lifecycle).toMatchObject({ phase: 'inFlight', nonce: 0 })
  expect(verdictOn(canceled)).toMatchObject({ state: 'racing', final: false, safeToRetry: false })
  expect(refusalOfReplacement(contradicted, 'public')?.code).toBe('TRANSACTION_ALREADY_MINED')
})

test('the status confirmed needs a second word where finality takes longer, or a minute of silence, which ends no contradiction', () => {
  const inclusion = by(someAttempt(0))
  const known = include(inFlight(0, [{ ...someAttempt(0), hash: inclusion.hash }]), inclusion) as InPhase<'mined'>
  const byTag = { ...policy, finality: 'finalized' } as const
  const contradicted = { ...known, lifecycle: { ...known.lifecycle, isContradicted: true as const } }
  const decisionsAt = (testimony: Partial<Testimony>, transaction = known) => {
    const observation = someObservation({
      nonce: 1,
      head: headAt(height + somePolicy.requiredConfirmations),
      canonical: new Map([[inclusion.block.number, inclusion.block.hash]]),
      testimonies: new Map([[inclusion.hash, { ...nobody, ...testimony }]]),
    })
    return decide({ work: someWork({ open: [transaction] }), observation, policy: byTag, now }).decisions
  }
  expect(decisionsAt({ shownBy: [0, 1] })).toMatchObject([{ do: 'confirm' }])
  expect(decisionsAt({ shownBy: [0], silentMs: 60_000 })).toMatchObject([{ do: 'confirm' }])
  expect(decisionsAt({ shownBy: [0], silentMs: 59_999 })).toEqual([])
  expect(decisionsAt({ shownBy: [0], elsewhereBy: [1], silentMs: 60_000 })).toEqual([])
  expect(decisionsAt({ shownBy: [0], silentMs: 60_000 }, contradicted)).toEqual([])
})
