// A relayer's life in memory: rows, a chain that reorganizes and holds foreign transactions, and steps of the engine's decisions.
// After each event its rules hold, or it throws.
import { expect } from 'vitest'
import { type Attempt, type BroadcastOutcome, mayBeKnown } from '../../src/domain/attempt.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { afterAnswers, apply, dropIfNoNodeHasIt, fillGap } from '../../src/domain/decide/apply.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { type Decision, isChange } from '../../src/domain/decide/plan/decision.ts'
import { violations } from '../../src/domain/decide/plan/invariants.ts'
import { isSigning } from '../../src/domain/decide/plan/traits.ts'
import { inFlightOf, type Work } from '../../src/domain/decide/plan/work.ts'
import type { Hash } from '../../src/domain/ids.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { refusalOfReplacement } from '../../src/domain/refusals.ts'
import { replace } from '../../src/domain/replace.ts'
import {
  type Inclusion,
  isInPhase,
  isTerminal,
  revisionOf,
  spenderKind,
  statusOf,
  type Transaction,
} from '../../src/domain/transaction.ts'
import {
  by,
  byForeign,
  frozen,
  hashOf,
  headAt,
  height,
  idOf,
  now,
  queued,
  someAttempt,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someWork,
} from './some.ts'

export interface LifeEvent {
  readonly do: 'send' | 'put' | 'cancel' | 'step' | 'mine' | 'foreign' | 'reorganize' | 'pass'
  /** Picks one of those that the event may be about. */
  readonly which: number
  /** Of each broadcast of a step. */
  readonly outcome: BroadcastOutcome
}

export interface Life {
  happen(event: LifeEvent): void
  /** Steps, and blocks in which everything that a node has is mined, until nothing is open. */
  settle(): void
  transactions(): readonly Transaction[]
  readonly seen: { reopened: number; requeued: number }
}

interface Block {
  readonly number: number
  readonly hash: Hash
  /** The spenders of the next nonces, in their order. */
  readonly spent: readonly Inclusion[]
}

/** By `somePolicy`: what lies this deep is final, and no reorganization reaches it. */
const finalDepth = somePolicy.requiredConfirmations
const inFlightMax = somePolicies.maxInFlight ?? 4
const settlingMax = 200

export function beginLife(): Life {
  const all = new Map<string, Transaction>()
  const seen = { reopened: 0, requeued: 0 }
  let blocks: readonly Block[] = [{ number: height, hash: hashOf(0xb10c0000), spent: [] }]
  let [time, sequence, made] = [now, 0, 0]

  const head = () => blocks.at(-1) as Block
  const spenders = () => blocks.flatMap(({ spent }) => spent)
  const nonceNow = () => spenders().length

  function workNow(): Work {
    const each = [...all.values()]
    const open = each.filter((one) => isInPhase(one, 'inFlight', 'mined'))
    const waiting = each.filter((one) => isInPhase(one, 'queued')).sort((one, other) => one.sequence - other.sequence)
    return someWork({
      open: open.sort((one, other) => nonceOf(one) - nonceOf(other)),
      queued: waiting.slice(0, inFlightMax),
      expiring: waiting.filter(({ validUntil }) => validUntil !== undefined),
      lastSequence: sequence,
    })
  }

  function observe(): Observation {
    const { number, hash } = head()
    const parentHash = blocks.at(-2)?.hash ?? hashOf(0)
    const nonce = nonceNow()
    return someObservation({
      ...{ head: headAt(number, { hash, parentHash, timestampMs: time }), nonce, pendingNonce: nonce },
      inclusions: new Map(spenders().entries()),
      canonical: new Map(blocks.map((block) => [block.number, block.hash])),
    })
  }

  function append(spendersAt: (block: Pick<Block, 'number' | 'hash'>) => readonly Inclusion[]): void {
    made += 1
    const block = { number: head().number + 1, hash: hashOf(0xb10c0000 + made) }
    blocks = [...blocks, { ...block, spent: spendersAt(block) }]
    time += somePolicy.averageBlocktimeMs
  }

  /** One block with at most so many of the attempts that nodes may have, from the account's nonce on. */
  function mine(count: number, which: number): void {
    append((block) => {
      const spent: Inclusion[] = []
      for (let nonce = nonceNow(); spent.length < count; nonce += 1) {
        const next = inFlightOf(workNow()).find(({ lifecycle }) => lifecycle.nonce === nonce)
        const known = next?.lifecycle.attempts.filter(mayBeKnown) ?? []
        const winner = known[which % Math.max(1, known.length)]
        if (!winner) break
        spent.push({ ...by(winner), block })
      }
      return spent
    })
  }

  /** Blocks that are not final yet lose to a branch of empty ones, which is longer. */
  function reorganize(which: number): void {
    const depth = Math.min(1 + (which % (finalDepth - 1)), blocks.length - 1)
    blocks = blocks.slice(0, blocks.length - depth)
    for (let each = 0; each <= depth; each += 1) append(() => [])
  }

  function put(which: number): void {
    const open = [...all.values()].filter((each) => refusalOfReplacement(each, 'public') === undefined)
    const found = open[which % Math.max(1, open.length)]
    if (found) save(replace(found, { ...somePayload, value: BigInt(which + 2) }, 'public'))
  }

  function deleteOne(which: number): void {
    const found = [...all.values()][which % Math.max(1, all.size)]
    if (found && ['pending', 'sent', 'submitted'].includes(statusOf(found))) save(cancel(found, time))
  }

  function send(which: number): void {
    sequence += 1
    // Some expire after a few steps.
    save(queued(sequence, which % 4 === 0 ? { validUntil: time + 1_000 * (which + 1) } : {}))
  }

  function save(transaction: Transaction): void {
    const before = all.get(transaction.id)
    if (before && isTerminal(before)) expect(transaction).toEqual(before)
    all.set(transaction.id, transaction)
  }

  function sign(decision: Decision, transaction: Transaction): Attempt | undefined {
    if (decision.do === 'fillGap' || !isSigning(decision)) return undefined
    const nonce = decision.do === 'assignNonce' ? decision.nonce : nonceOf(transaction)
    const revision = revisionOf(transaction)
    const ofPayload = revision === 0 ? { kind: 'execute' as const } : { kind: 'replace' as const, revision }
    return someAttempt(nonce, {
      ...(decision.do === 'signNoOp' ? { kind: 'cancel' as const } : ofPayload),
      transactionId: transaction.id,
      fees: decision.fees,
      gasLimit: decision.gasLimit,
      recordedAt: time,
      recordedAtBlock: head().number,
      broadcast: { state: 'sending' },
    })
  }

  function record(decision: Decision): readonly [id: string, attempt: Attempt] | undefined {
    if (!isChange(decision)) {
      sequence += 1
      const at = { id: idOf(sequence), sequence, nonce: decision.nonce, now: time }
      const attempt = someAttempt(decision.nonce, {
        ...{ transactionId: at.id, fees: decision.fees, gasLimit: decision.gasLimit },
        ...{ recordedAt: time, recordedAtBlock: head().number, broadcast: { state: 'sending' } },
      })
      save(fillGap(workNow().relayer, at, attempt))
      return [at.id, attempt]
    }
    const before = all.get(decision.transaction.id) ?? decision.transaction
    const attempt = decision.do === 'rebroadcast' ? decision.attempt : sign(decision, before)
    if (attempt && before.cancellation) expect(attempt.kind).toBe('cancel')
    if (decision.do === 'reopen') seen.reopened += 1
    if (decision.do === 'requeue') seen.requeued += 1
    save(apply(decision, before, attempt, time))
    return attempt && [before.id, attempt]
  }

  function step(outcome: BroadcastOutcome): void {
    time += 1_000
    const observation = frozen(observe())
    const plan = (work: Work) => decide({ work: frozen(work), observation, policy: somePolicy, now: time }).decisions
    const decisions = plan(workNow())
    const broadcast = decisions.flatMap((decision) => {
      const sent = record(decision)
      return sent ? [sent] : []
    })
    for (const [id, { hash }] of broadcast) {
      const before = all.get(id)
      if (before) save(dropIfNoNodeHasIt(afterAnswers(before, new Map([[hash, outcome]]), time), time))
    }
    expect(decisions.filter((each) => each.do === 'assignNonce').length).toBeLessThanOrEqual(inFlightMax)
    // What the answers just ended leaves its nonce to the next step.
    const left = plan(workNow()).flatMap((each) =>
      each.do === 'fillGap' || each.do === 'assignNonce' ? [each.nonce] : [],
    )
    const held = inFlightOf(workNow()).map(({ lifecycle }) => lifecycle.nonce)
    const covered = new Set([...held, ...left])
    for (let each = observation.nonce; each < Math.max(...held); each += 1) expect(covered).toContain(each)
  }

  /** What the chain has executed by now, and what is final, agree with the rows. */
  function demandTruth(): void {
    const executed = spenders().filter((each) => spenderKind(each) === 'payload')
    const owners = executed.map(({ hash }) => ownerOf(hash))
    expect(new Set(owners).size).toBe(owners.length)
    for (const each of all.values()) {
      if (!isInPhase(each, 'final')) continue
      const { nonce, inclusion } = each.lifecycle
      expect(spenders()[nonce]?.hash).toBe(inclusion.hash)
      // One that a client took back, or that expired, says which of both won.
      if (spenderKind(inclusion) !== 'payload') expect(owners).not.toContain(each.id)
    }
    for (const each of all.values()) if (isInPhase(each, 'dropped')) expect(owners).not.toContain(each.id)
  }

  /** The transaction whose attempt has this hash, wherever it is by now. */
  function ownerOf(hash: Hash): string {
    return signedBy.get(hash) ?? ''
  }

  const signedBy = new Map<Hash, string>()

  function happen({ do: what, which, outcome }: LifeEvent): void {
    if (what === 'send') send(which)
    else if (what === 'put') put(which)
    else if (what === 'cancel') deleteOne(which)
    else if (what === 'foreign') append((block) => [{ ...byForeign(), hash: hashOf(0xdead0000 + made), block }])
    else if (what === 'reorganize') reorganize(which)
    // What was mined before becomes final.
    else if (what === 'pass') for (let each = 0; each < finalDepth; each += 1) append(() => [])
    else if (what === 'mine') for (let each = 0; each <= which % 3; each += 1) mine(1 + (which % 4), which)
    else step(outcome)
    for (const each of all.values()) {
      if ('attempts' in each.lifecycle) for (const { hash } of each.lifecycle.attempts) signedBy.set(hash, each.id)
    }
    expect(violations(workNow())).toEqual([])
    demandTruth()
  }

  return {
    happen,
    settle() {
      for (let round = 0; round < settlingMax; round += 1) {
        if ([...all.values()].every(isTerminal)) return
        happen({ do: 'step', which: round, outcome: { kind: 'accepted' } })
        happen({ do: 'mine', which: 2, outcome: { kind: 'accepted' } })
      }
    },
    transactions: () => [...all.values()],
    seen,
  }
}

function nonceOf(transaction: Transaction): number {
  return 'nonce' in transaction.lifecycle ? transaction.lifecycle.nonce : -1
}
