// Random lives: whatever clients, nodes and the chain do, the recorded decisions keep nonces and payloads in order.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Attempt, type BroadcastOutcome, mayBeKnown } from '../../src/domain/attempt.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { afterAnswers, apply, dropIfCertain, fillGap } from '../../src/domain/decide/apply.ts'
import { decide } from '../../src/domain/decide/decide.ts'
import { needsSignature } from '../../src/domain/decide/plan/decision.ts'
import { violations } from '../../src/domain/decide/plan/invariants.ts'
import { inFlightOf, type Work } from '../../src/domain/decide/plan/work.ts'
import { isInPhase, isTerminal, statusOf, type Transaction } from '../../src/domain/transaction.ts'
import {
  by,
  frozen,
  headAt,
  height,
  idOf,
  now,
  queued,
  someAttempt,
  someObservation,
  somePolicy,
  someWork,
} from './some.ts'

const anyEvent = fc.record({
  do: fc.constantFrom('send', 'send', 'cancel', 'step', 'step', 'mine', 'pass'),
  which: fc.nat({ max: 30 }),
  outcome: fc.constantFrom<BroadcastOutcome>(
    { kind: 'accepted' },
    { kind: 'unknown', message: 'timed out' },
    { kind: 'unsent', message: 'no connection' },
    { kind: 'rejected', code: 'invalid', message: 'no' },
  ),
})

test('nonces stay contiguous and single, room is kept, and nothing canceled is broadcast but its no-op', () => {
  const ends = { executed: 0, canceled: 0, dropped: 0 }
  fc.assert(
    fc.property(fc.array(anyEvent, { minLength: 20, maxLength: 80, size: 'max' }), (events) => {
      const all = new Map<string, Transaction>()
      let [nonce, block, time, sequence] = [0, height, now, 0]
      const inclusions = new Map()
      const workNow = (): Work => {
        const each = [...all.values()]
        const open = each.filter((one) => isInPhase(one, 'inFlight', 'mined'))
        return someWork({
          open: open.sort((one, other) => nonceOf(one) - nonceOf(other)),
          queued: each.filter((one) => isInPhase(one, 'queued')).slice(0, 4),
        })
      }
      for (const { do: what, which, outcome } of events) {
        if (what === 'send') {
          sequence += 1
          all.set(idOf(sequence), queued(sequence))
        } else if (what === 'cancel') {
          const found = [...all.values()][which % Math.max(1, all.size)]
          if (found && ['pending', 'sent', 'submitted'].includes(statusOf(found)))
            all.set(found.id, cancel(found, time))
        } else if (what === 'pass') {
          // What was mined before becomes final.
          block += 4
        } else if (what === 'mine') {
          block += 1
          const next = inFlightOf(workNow()).find(({ lifecycle }) => lifecycle.nonce === nonce)
          const known = next?.lifecycle.attempts.filter(mayBeKnown) ?? []
          const winner = known[which % Math.max(1, known.length)]
          if (!winner) continue
          inclusions.set(nonce, by(winner, block))
          nonce += 1
        } else {
          time += 1_000
          const work = workNow()
          const head = headAt(block)
          const observation = someObservation({ head, nonce, pendingNonce: nonce, inclusions })
          const { decisions } = decide({
            work: frozen(work),
            observation: frozen(observation),
            policy: somePolicy,
            now: time,
          })
          const broadcast = new Map<string, Attempt>()
          for (const decision of decisions) {
            if (decision.do === 'fillGap') {
              sequence += 1
              const attempt = someAttempt(decision.nonce, { fees: decision.fees, broadcast: { state: 'sending' } })
              const at = { id: idOf(sequence), sequence, nonce: decision.nonce, now: time }
              all.set(at.id, fillGap(work.relayer, at, { ...attempt, transactionId: at.id }))
              broadcast.set(at.id, attempt)
              continue
            }
            const { id } = decision.transaction
            const before = all.get(id) ?? decision.transaction
            let attempt: Attempt | undefined = decision.do === 'rebroadcast' ? decision.attempt : undefined
            if (needsSignature(decision)) {
              const bound = decision.do === 'assignNonce' ? decision.nonce : nonceOf(before)
              const kind = decision.do === 'takeOver' ? 'cancel' : 'execute'
              const facts = { transactionId: id, kind, fees: decision.fees, recordedAtBlock: block } as const
              attempt = someAttempt(bound, { ...facts, broadcast: { state: 'sending' } })
            }
            if (attempt) {
              if (before.cancellation) expect(attempt.kind).toBe('cancel')
              broadcast.set(id, attempt)
            }
            all.set(id, apply(decision, before, attempt, time))
          }
          for (const [id, { hash }] of broadcast) {
            const before = all.get(id)
            if (before) all.set(id, dropIfCertain(afterAnswers(before, new Map([[hash, outcome]]), time), time))
          }
          // What the answers just ended leaves its nonce to the next step.
          const left = decide({ work: workNow(), observation, policy: somePolicy, now: time }).decisions.flatMap(
            (each) => (each.do === 'fillGap' || each.do === 'assignNonce' ? [each.nonce] : []),
          )
          const held = inFlightOf(workNow()).map(({ lifecycle }) => lifecycle.nonce)
          const covered = new Set([...held, ...left])
          const highest = Math.max(nonce, ...held)
          for (let each = nonce; each < highest; each += 1) expect(covered.has(each)).toBe(true)
          expect(decisions.filter((each) => each.do === 'assignNonce').length).toBeLessThanOrEqual(4)
        }
        expect(violations(workNow())).toEqual([])
      }
      for (const each of all.values()) {
        if (isTerminal(each) && isInPhase(each, 'final') && each.lifecycle.inclusion.by === 'attempt') {
          expect(each.lifecycle.attempts.map(({ hash }) => hash)).toContain(each.lifecycle.inclusion.hash)
          ends[each.cancellation ? 'canceled' : 'executed'] += 1
        } else if (isInPhase(each, 'dropped')) ends.dropped += 1
      }
    }),
    { numRuns: 150 },
  )
  for (const [end, count] of Object.entries(ends)) expect(count, end).toBeGreaterThan(20)
})

function nonceOf(transaction: Transaction): number {
  return 'nonce' in transaction.lifecycle ? transaction.lifecycle.nonce : -1
}
