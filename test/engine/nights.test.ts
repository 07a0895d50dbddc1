// Nights: what holds a relayer up is a condition in the row of its transaction, in its overview, in the metric and in an alert, and its end ends it.
import { expect, test } from 'vitest'
import { replaceTransaction } from '../../src/commands/transactions/replace.ts'
import { submitTransaction } from '../../src/commands/transactions/submit.ts'
import { newest } from '../../src/domain/attempt.ts'
import { cancel } from '../../src/domain/cancel.ts'
import { type Condition, runbookOf } from '../../src/domain/condition.ts'
import type { Hash } from '../../src/domain/ids.ts'
import type { Estimate, LostNoOp } from '../../src/domain/observation.ts'
import type { Testimony } from '../../src/domain/witness.ts'
import {
  address,
  blockHash,
  by,
  byForeign,
  ether,
  gwei,
  hashOf,
  headAt,
  height,
  now,
  someNoOp,
  somePolicy,
} from '../domain/some.ts'
import { shippedRules } from '../ops/rules.ts'
import { blocktimeMs, type Night, openNight, type Sight, type View } from './night.ts'
import { request } from './workplace.ts'

/** The blocks of a night, in which the chain is as it was. */
const blocks = 30

const { gasLimit: _, ...unlimited } = request
const { profile } = somePolicy
const patient = { ...somePolicy, bumpAfter: { blocks: 100, ms: 0 } }
const onArrival = { ...somePolicy, profile: { ...profile, pool: 'fcfs' } } as const
const tagged = {
  ...somePolicy,
  finality: 'finalized',
  profile: { ...profile, finalityStalledAfterMs: 60_000 },
} as const
const foreign = {
  nonce: 0,
  hash: hashOf(0xf00),
  minedAt: now,
  block: { number: height - 5, hash: blockHash(height - 5) },
}

const { raw, signature, fees } = someNoOp(0)
const lostNoOp: LostNoOp = {
  ...foreign,
  signed: { to: address, value: 0n, data: '0x', gasLimit: 21_000, raw, signature, fees },
}

function mined({ first }: Sight): View {
  return { nonce: 1, inclusions: new Map([[0, by(first(), height + 2)]]) }
}

const said = (testimony: Partial<Testimony>) => (sight: Sight) => ({
  ...mined(sight),
  testimonies: new Map<Hash, Testimony>([
    [
      sight.first().hash,
      {
        ...{ shownBy: [0], listedBy: [], refutedBy: [], unlistedBy: [], elsewhereBy: [], providers: 2 },
        ...{ silentMs: 0, laterBlocks: sight.block - 2, ...testimony },
      },
    ],
  ]),
})

const estimated = (estimate: Estimate) => (sight: Sight) => ({ estimates: new Map([[sight.id, estimate]]) })

const nights = {
  on_hold: {
    send: { ...request, hold: { kind: 'for', ms: (blocks - 1) * blocktimeMs } },
    isQueued: true,
    isWanted: true,
  },
  paused: {
    isQueued: true,
    state: 'paused',
    dusk: (place) => place.change({ paused: true }),
    end: (place) => place.change({ paused: false }),
  },
  policy: {
    dusk: async ({ commands, relayer, change }, id) => {
      await replaceTransaction(commands, relayer.id, id, { ...request, value: 2n })
      await change({ policies: { ...relayer.policies, valueCap: 1n } })
    },
  },
  balance_below_minimum: { policies: { minBalance: ether / 2n }, isQueued: true, dark: { balance: ether / 4n } },
  balance_short: { send: { ...request, value: ether / 2n }, isQueued: true, dark: { balance: ether / 4n } },
  already_ordered: {
    policy: { ...patient, profile: onArrival.profile },
    answer: { kind: 'rejected', code: 'nonceTooLow', message: 'nonce too low' },
    dusk: (place, id) => place.cancel(id),
  },
  outcome_unknown: { policy: onArrival, dusk: (place, id) => place.cancel(id) },
  cancel_unfunded: { dusk: (place, id) => place.cancel(id), dark: { balance: 0n } },
  gas_price_cap: { policies: { gasPriceCap: 22n * gwei }, dark: { baseFee: 30n * gwei } },
  cancel_gas_price_cap: {
    policies: { cancelGasPriceCap: 25n * gwei },
    dusk: (place, id) => place.cancel(id),
    dark: { baseFee: 30n * gwei },
  },
  cost_bound: {
    dusk: async ({ context: { store }, clock, read }, id) => {
      const sent = await read(id)
      const canceled = cancel(sent, clock.now(), 'request', 7n)
      await store.commit((session) => session.saveTransaction(sent, canceled, clock.now()))
    },
  },
  own_price: {
    send: { ...request, pricing: { kind: 'eip1559', maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei } },
    dark: { baseFee: 30n * gwei },
  },
  price_ceiling: { dark: { market: { suggestedTip: 300n * gwei } } },
  attempts_exhausted: { policy: { ...somePolicy, bumpAfter: { blocks: 1, ms: 0 } } },
  nonce_taken: {
    policy: { ...somePolicy, requiredConfirmations: 100 },
    dark: { nonce: 1, inclusions: new Map([[0, byForeign(height + 2)]]) },
    dawn: { head: headAt(height + 200), nonce: 1 },
    says: /a transaction that is not ours/,
  },
  nonce_blocked: { policy: patient, isQueued: true, dark: { pendingNonce: 100 }, dawn: { pendingNonce: 0 } },
  pool_unseen: { policy: patient, day: { nonce: 1 }, dark: { nonce: 0 } },
  gap_unconfirmed: { isQueued: true, dark: { doubtedCount: 9 } },
  gap_fillers_limited: { day: { nonce: 100 }, dark: { pendingNonce: 0, secondCount: 0 } },
  nonce_unproven: { dark: { nonce: 1 } },
  history_unknown: {
    memory: { lostHistory: 'all' },
    isQueued: true,
    dark: { pendingNonce: 1, lostHistory: { below: 1 } },
    dawn: { nonce: 1, pendingNonce: 1, lostHistory: { below: 1, finalBelow: 1, spenders: [foreign] } },
  },
  cancellation_unclear: {
    memory: { lostHistory: { through: 2, seen: { below: 1, at: height - 2, isWhole: false } } },
    before: (place) => place.send({ value: 7n }),
    isQueued: true,
    dark: { nonce: 1, pendingNonce: 1, lostHistory: { below: 1, finalBelow: 1, spenders: [lostNoOp] } },
    end: (place) => place.cancelAll(),
  },
  no_progress: { policy: onArrival },
  node_behind: {
    before: async (place) => {
      const first = await place.send()
      await place.look(-9)
      const { attempts } = (await place.readAs(first, 'inFlight')).lifecycle
      await place.look(0, { nonce: 1, inclusions: new Map([[0, by(attempts[0], height - 8)]]) })
    },
    isQueued: true,
    day: { nonce: 1 },
    dark: { nonce: 0 },
  },
  node_refuses: { answer: { kind: 'rejected', code: 'poolFull', message: 'txpool is full' } },
  refused_by_all: {
    answer: { kind: 'rejected', code: 'invalid', message: 'intrinsic gas too low' },
    dusk: (place) => place.answers({ kind: 'accepted' }),
    dark: ({ first }) => ({ refusedByAll: new Map([[first().hash, 'intrinsic gas too low']]) }),
  },
  head_stalled: { dark: ({ block }) => ({ head: headAt(height + 1), headStandsMs: block * blocktimeMs }) },
  node_unreachable: { isQueued: true, isRunning: true, dark: 'silence', state: 'unreachable' },
  signer_unavailable: {
    isRemote: true,
    isQueued: true,
    end: ({ remote }) => {
      remote.mood = 'signs'
    },
  },
  facts_missing: { isQueued: true, dark: { market: 'none' } },
  gas_unknown: { send: unlimited, isQueued: true, dawn: estimated({ kind: 'gas', gas: 21_000 }) },
  would_revert: {
    send: unlimited,
    before: async (place) => {
      await place.send()
      await place.look(0)
    },
    isQueued: true,
    dark: estimated({ kind: 'reverts', reason: 'no allowance' }),
    dawn: estimated({ kind: 'gas', gas: 21_000 }),
  },
  account_in_use: {
    isQueued: true,
    isRunning: true,
    before: async ({ elsewhere, relayer }) => elsewhere.add(relayer.id),
    end: ({ elsewhere, relayer }) => void elsewhere.delete(relayer.id),
  },
  finality_stalled: {
    policy: tagged,
    dark: mined,
    // The look that makes it final began with the stall.
    end: (place) => place.look(blocks, { nonce: 1, tagged: height + 3 }),
    dawn: { nonce: 1 },
  },
  witnesses_contradict: {
    policy: { ...somePolicy, secondWitness: 'prefer' },
    dark: said({ refutedBy: [1], unlistedBy: [1] }),
    dawn: said({ shownBy: [0, 1] }),
  },
  witness_silent: {
    policy: { ...somePolicy, secondWitness: 'require' },
    dark: said({ silentMs: 90_000 }),
    dawn: said({ shownBy: [0, 1] }),
  },
} as const satisfies Record<Condition, Night>

/** The alerts that read the condition, each with its link to the section of the condition. */
async function alertsOf(condition: Condition) {
  const rules = await shippedRules()
  const found = rules.filter(({ expr }) => new RegExp(`condition=~?"[^"]*\\b${condition}\\b`).test(expr))
  return found.map(({ annotations }) => annotations?.runbook_url?.replace('{{ $labels.condition }}', condition))
}

test.each(Object.entries(nights) as [Condition, Night][])('%s', async (condition, night) => {
  await using place = await openNight(night)
  const { day = {}, dark = day, isQueued, isRunning, isWanted, says, state = 'waiting' } = night
  await night.before?.(place)
  const { id } = await submitTransaction(place.commands, place.relayer.id, night.send ?? request)
  const shownAt = async (block: number, view: NonNullable<Night['dark']>) => {
    if (typeof view !== 'function') return view
    const { lifecycle } = await place.read(id)
    const first = () => {
      if ('attempts' in lifecycle && lifecycle.attempts) return lifecycle.attempts[0]
      throw new Error('it has no attempt')
    }
    return view({ block, id, first })
  }
  if (night.answer) place.answers(night.answer)
  if (!isQueued) await place.look(1, day)
  await night.dusk?.(place, id)
  for (let block = 2; block <= blocks; block += 1) await place.look(block, await shownAt(block, dark))

  if (isRunning) await place.awaits('the reason', async () => (await place.read(id)).wait !== undefined)
  const row = await place.read(id)
  if (says) expect(row.statusReason).toMatch(says)
  else expect(row.wait?.condition).toBe(condition)
  if (isWanted) {
    expect((await place.overview()).conditions).toEqual([])
    expect([await place.metric(condition), await alertsOf(condition)]).toEqual([undefined, []])
  } else {
    await place.awaits('the report', async () =>
      Boolean((await place.overview()).report?.conditions.some((each) => each.condition === condition)),
    )
    expect(await place.overview()).toMatchObject({
      state,
      conditions: [{ condition }],
      report: { conditions: [{ condition }] },
    })
    expect(await place.metric(condition)).toBe(1)
    const links = await alertsOf(condition)
    expect(links.some((link) => link?.endsWith(runbookOf(condition)))).toBe(true)
  }

  await night.end?.(place, id)
  const last = blocks + 1
  const { lifecycle } = await place.read(id)
  if (night.dawn) await place.look(last, await shownAt(last, night.dawn))
  else if (lifecycle.phase !== 'inFlight') await place.look(last, day)
  else {
    const { nonce, attempts } = lifecycle
    await place.look(last, { nonce: nonce + 1, inclusions: new Map([[nonce, by(newest(attempts), height + last)]]) })
  }
  if (isRunning)
    await place.awaits(
      'the end',
      async () => (await place.read(id)).wait === undefined && !(await place.metric(condition)),
    )
  const after = await place.read(id)
  expect(after.wait?.condition).not.toBe(condition)
  expect(['queued', 'held']).not.toContain(after.lifecycle.phase)
  if (!isWanted) expect(await place.metric(condition)).toBe(0)
})
