// A chain that orders blocks before it executes them (Monad): gas in flight fits in a reserve, payments count late, and a value that
// leaves less than the reserve goes alone.

import { describe, expect, test } from 'vitest'
import { inquire } from '../../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../../src/domain/decide/plan/lacks.ts'
import type { Work } from '../../../../src/domain/decide/plan/work.ts'
import {
  blockedByGas,
  blockedByReserve,
  countedBalance,
  dependsOnDelegation,
  gasFundsOf,
  untouchable,
  withinReserve,
} from '../../../../src/domain/decide/rules/gas-reserve.ts'
import type { Observation } from '../../../../src/domain/observation.ts'
import type { ProfileOverrides } from '../../../../src/domain/profile.ts'
import { replace } from '../../../../src/domain/replace.ts'
import { inEther } from '../../../../src/domain/shown-amount.ts'
import { sentenceOf } from '../../../../src/domain/wait-sentence.ts'
import { decideInWords as decide } from '../../in-words.ts'
import {
  address,
  broadcastStates,
  by,
  canceled,
  eip1559,
  ether,
  gwei,
  inFlight,
  mined,
  now,
  queued,
  receiver,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePayload,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
  someWork,
} from '../../some.ts'

const reserve = 10n * ether
const monad: ProfileOverrides = { charges: 'gas_limit', reserveBalance: reserve, balanceLagBlocks: 3 }
/** Of a transfer at the market's price. */
const gas = 21_000n * 22n * gwei
const relayer = someRelayer({ policies: { ...somePolicies, cancelReserve: 0n } })
const sending = (sequence: number, value: bigint, payload = {}) =>
  queued(sequence, { payload: { ...somePayload, value, ...payload } })

function decided(work: Partial<Work>, observation: Partial<Observation> = {}, profile: ProfileOverrides = monad) {
  const { nonce = 0, balance = 100n * ether } = observation
  const seen = someObservation({ balance, nonce, lagged: { balance, nonce }, ...observation })
  const policy = { ...somePolicy, requiredConfirmations: 12, profile: { ...somePolicy.profile, ...profile } }
  return decide({ work: someWork({ relayer, ...work }), observation: seen, policy, now })
}

const verbs = (...given: Parameters<typeof decided>) =>
  decided(...given).decisions.map((each) => (each.do === 'explain' ? each.condition : each.do))
const reasons = (...given: Parameters<typeof decided>) =>
  decided(...given).decisions.flatMap((each) => (each.do === 'explain' ? [sentenceOf(each, false)] : []))

describe('the gas of all transactions in flight', () => {
  const small: ProfileOverrides = { ...monad, reserveBalance: 2n * gas }
  const three = [1, 2, 3].map((sequence) => sending(sequence, 0n))

  test('fits in the reserve, however high the balance is', () => {
    expect(verbs({ queued: three })).toEqual(['assignNonce', 'assignNonce', 'assignNonce'])
    expect(verbs({ queued: three }, {}, small)).toEqual(['assignNonce', 'assignNonce', 'balance_short'])
    expect(reasons({ queued: three }, {}, small)).toEqual([
      `waits: its gas beside that of the transactions in flight would exceed the network's reserve_balance (${inEther(2n * gas)}), or the balance of 3 blocks ago: it goes once these are mined and 3 blocks have followed`,
    ])
  })

  test('counts those in flight at their dearest attempt, and those in the last blocks', () => {
    const attempt = someAttempt(0, { fees: eip1559(44n * gwei, 2n * gwei) })
    const next = { queued: [sending(1, 0n)] }
    expect(verbs({ ...next, open: [inFlight(0, [attempt])] }, {}, small)).toContain('balance_short')
    const cheaper = someAttempt(0, { fees: eip1559(22n * gwei, 2n * gwei) })
    expect(verbs({ ...next, open: [inFlight(0, [cheaper])] }, {}, small)).toContain('assignNonce')
    const lagged = { balance: 100n * ether, nonce: 0 }
    const minedAt = (block: number) => [mined(0, by(attempt, block), [attempt])]
    const canonical = new Map([97, 98, 100].map((block) => [block, by(attempt, block).block.hash]))
    expect(verbs({ ...next, open: minedAt(98) }, { nonce: 1, canonical, lagged }, small)).toContain('balance_short')
    expect(verbs({ ...next, open: minedAt(97) }, { nonce: 1, canonical }, small)).toContain('assignNonce')
  })

  test('fits in the balance of some blocks ago', () => {
    const late = { lagged: { balance: 2n * gas, nonce: 0 } }
    expect(verbs({ queued: three }, late)).toEqual(['assignNonce', 'assignNonce', 'balance_short'])
  })

  test('may exceed the reserve in a transaction that goes alone', () => {
    const large = sending(1, 0n, { gasLimit: 63_000 })
    expect(verbs({ queued: [large, sending(2, 0n)] }, {}, small)).toEqual(['assignNonce', 'balance_short'])
    expect(verbs({ queued: [large] }, { lagged: { balance: ether, nonce: 0 }, nonce: 1 }, small)).toEqual([
      'balance_short',
    ])
  })

  test('limits the next bid of a payload, and names the reserve', () => {
    const underpriced = someAttempt(1, {
      fees: eip1559(20n * gwei, 2n * gwei),
      recordedAtBlock: 90,
      broadcast: broadcastStates.underpriced,
    })
    const open = [inFlight(0, [someAttempt(0)]), inFlight(1, [underpriced])]
    expect(verbs({ open })).toEqual(['bump'])
    const tight = { ...monad, reserveBalance: 2n * 21_000n * 20n * gwei }
    expect(verbs({ open }, {}, tight)).toContain('balance_short')
    expect(reasons({ open }, {}, tight).at(-1)).toContain('reserve_balance')
  })

  test('limits a no-op only by the nonces below it: the others are mined later', () => {
    const open = [inFlight(0, [someAttempt(0)], canceled), inFlight(1, [someAttempt(1)])]
    const price = 40n * gwei
    const tight = { ...monad, reserveBalance: 21_000n * price }
    expect(verbs({ open }, {}, tight)).toContain('signNoOp')
    const second = [
      inFlight(0, [someAttempt(0)]),
      inFlight(
        1,
        [
          someAttempt(1),
          someNoOp(1, {
            fees: eip1559(21n * gwei, 3n * gwei),
            recordedAtBlock: 90,
            broadcast: broadcastStates.underpriced,
          }),
        ],
        canceled,
      ),
    ]
    const wait = decided({ open: second }, {}, { ...monad, reserveBalance: 21_000n * 41n * gwei })
    expect(wait.decisions).toMatchObject([
      { do: 'explain', condition: 'cancel_unfunded', facts: { reserve: 21_000n * 41n * gwei } },
    ])
    expect(wait.decisions).toMatchObject([{ reason: expect.stringContaining('reserve_balance') }])
    expect(verbs({ open: second })).toContain('signNoOp')
  })

  describe('of the only transaction of some blocks', () => {
    const dear = eip1559(300n * gwei, 2n * gwei)
    const refused = { fees: dear, recordedAtBlock: 90, broadcast: broadcastStates.underpriced }
    const low = { ...monad, reserveBalance: 21_000n * 300n * gwei }
    const noOp = inFlight(0, [someAttempt(0, { fees: dear }), someNoOp(0, refused)], canceled)
    const payload = inFlight(0, [someAttempt(0, { fees: dear }), someAttempt(0, refused)])
    const spent = { lagged: { balance: ether, nonce: 0 }, nonce: 1, balance: ether }
    const { lagged: _, ...unread } = someObservation({ balance: ether })

    test('may exceed the reserve: a race that has to replace such a price does not wait for ever', () => {
      expect(verbs({ open: [noOp] }, { balance: ether }, low)).toEqual(['signNoOp'])
      expect(verbs({ open: [payload] }, { balance: ether }, low)).toEqual(['bump'])
      expect(verbs({ open: [noOp, inFlight(1, [someAttempt(1)])] }, { balance: ether }, low)).toContain('signNoOp')
    })

    test('fits in the balance', () => {
      const balance = 21_000n * 320n * gwei
      expect(verbs({ open: [noOp] }, { balance }, low)).toContain('cancel_unfunded')
      expect(verbs({ open: [payload] }, { balance }, low)).toContain('balance_short')
    })

    test('fits in the reserve beside others, after a recent one, and where the account delegates', () => {
      const second = inFlight(1, [someAttempt(1, { fees: dear }), someNoOp(1, refused)], canceled)
      expect(verbs({ open: [second] }, spent, low)).toContain('cancel_unfunded')
      expect(verbs({ open: [payload, inFlight(1, [someAttempt(1)])] }, { balance: ether }, low)).toContain(
        'balance_short',
      )
      expect(verbs({ open: [noOp] }, { balance: ether, delegated: true }, low)).toContain('cancel_unfunded')
    })

    test('is judged by our own record where no node shows the earlier count', () => {
      const policy = { ...somePolicy, profile: { ...somePolicy.profile, ...low } }
      const doing = (open: Work['open'], nonce: number) =>
        decide({ work: someWork({ relayer, open }), observation: { ...unread, nonce }, policy, now }).decisions
      expect(doing([noOp], 0)).toMatchObject([{ do: 'signNoOp' }])
      const attempt = someAttempt(0)
      const second = inFlight(1, [someAttempt(1, { fees: dear }), someNoOp(1, refused)], canceled)
      const unfunded = expect.objectContaining({ condition: 'cancel_unfunded' })
      expect(doing([mined(0, by(attempt, 99), [attempt]), second], 1)).toContainEqual(unfunded)
      // Another one has the nonce below it.
      expect(doing([second], 0)).toContainEqual(unfunded)
    })
  })
})

describe('a payment to the account', () => {
  test('counts once it is so many blocks old', () => {
    const lagged = { balance: ether, nonce: 0 }
    const waiting = { queued: [sending(1, 2n * ether)] }
    expect(verbs(waiting, { balance: 20n * ether, lagged })).toEqual(['balance_short'])
    expect(reasons(waiting, { balance: 20n * ether, lagged })).toEqual([
      `waits: the balance of 3 blocks ago (1 ether) does not cover its value (2 ether) and gas beside the transactions in flight and cancel_reserve, and a payment to the account counts after 3 blocks: wait`,
    ])
    expect(verbs(waiting, { balance: 20n * ether })).toEqual(['assignNonce'])
  })

  test('is not counted without the cost of payloads mined since', () => {
    const attempt = someAttempt(0)
    const open = [mined(0, by(attempt, 99), [attempt], { payload: { ...somePayload, value: 5n * ether } })]
    const canonical = new Map([[99, by(attempt, 99).block.hash]])
    const seen = { nonce: 1, canonical, balance: 95n * ether, lagged: { balance: 6n * ether, nonce: 0 } }
    expect(verbs({ open, queued: [sending(1, 2n * ether)] }, seen)).toContain('balance_short')
  })

  test('is not taken off for payloads in blocks above the head, whose cost the balance includes', () => {
    const attempt = someAttempt(0)
    const at = (block: number) => {
      const open = [mined(0, by(attempt, block), [attempt], { payload: { ...somePayload, value: 5n * ether } })]
      const policy = { ...somePolicy, profile: { ...somePolicy.profile, ...monad } }
      const seen = someObservation({ balance: 20n * ether, lagged: { balance: 20n * ether, nonce: 0 } })
      return countedBalance(someWork({ relayer, open }), seen, someMarket, policy)
    }
    expect([101, 102, 97].map(at)).toEqual([20n * ether, 20n * ether, 20n * ether])
    for (const block of [98, 100]) expect(at(block)).toBeLessThan(15n * ether)
  })

  test('waits with a condition while no node reports the earlier balance', () => {
    const { lagged: _, ...unread } = someObservation({ balance: ether })
    const policy = { ...somePolicy, profile: { ...somePolicy.profile, ...monad } }
    const work = someWork({ relayer, queued: [sending(1, 0n)] })
    expect(decide({ work, observation: unread, policy, now }).decisions).toMatchObject([
      { do: 'explain', condition: 'facts_missing', reason: 'waits: no node reports the balance of some blocks ago' },
    ])
    // A no-op does not wait for it.
    const open = [inFlight(0, [someAttempt(0)], canceled)]
    expect(decide({ work: someWork({ relayer, open }), observation: unread, policy, now }).decisions).toMatchObject([
      { do: 'signNoOp' },
    ])
    // Nor does its next bid, or that of a payload.
    const refused = { recordedAtBlock: 90, broadcast: broadcastStates.underpriced }
    const race = inFlight(0, [someAttempt(0), someNoOp(0, refused)], canceled)
    const payload = inFlight(0, [someAttempt(0, refused)])
    for (const [each, what] of [
      [race, 'signNoOp'],
      [payload, 'bump'],
    ] as const) {
      const bids = decide({ work: someWork({ relayer, open: [each] }), observation: unread, policy, now })
      expect(bids.decisions).toMatchObject([{ do: what }])
    }
    const beside = [inFlight(0), inFlight(1, [someAttempt(1), someNoOp(1, refused)], canceled)]
    const second = decide({ work: someWork({ relayer, open: beside }), observation: unread, policy, now })
    expect(second.decisions).toContainEqual(expect.objectContaining({ do: 'signNoOp' }))
  })
})

describe('a value that leaves less than the reserve', () => {
  const emptying = sending(1, 3n * ether)

  test('goes at once where the account has sent nothing for some blocks', () => {
    expect(verbs({ queued: [emptying] }, { balance: 12n * ether })).toEqual(['assignNonce'])
  })

  test('waits behind a transaction in flight, and until some blocks have followed the last', () => {
    const balance = 12n * ether
    const open = [inFlight(0, [someAttempt(0)])]
    expect(verbs({ open, queued: [emptying] }, { balance })).toContain('balance_short')
    expect(reasons({ open, queued: [emptying] }, { balance })).toEqual([
      `waits: its value (3 ether) leaves less than the network's reserve_balance (${inEther(reserve)}), so it goes alone: once no other transaction of the account is in flight, or was mined in the last 3 blocks; or top it up, for this one by 1.0005 ether at most`,
    ])
    expect(verbs({ queued: [emptying] }, { balance, nonce: 1, lagged: { balance, nonce: 0 } })).toEqual([
      'balance_short',
    ])
    expect(verbs({ queued: [emptying] }, { balance, nonce: 1 })).toEqual(['assignNonce'])
  })

  test('holds up the next such value, and no call without a value', () => {
    const balance = 12n * ether
    expect(verbs({ queued: [emptying, sending(2, 1n)] }, { balance })).toEqual(['assignNonce', 'balance_short'])
    expect(verbs({ queued: [emptying, sending(2, 0n)] }, { balance })).toEqual(['assignNonce', 'assignNonce'])
    expect(verbs({ queued: [sending(1, 0n), emptying] }, { balance })).toEqual(['assignNonce', 'balance_short'])
  })

  test('is no matter above the reserve, for a transfer to itself, or where the chain has no such rule', () => {
    const open = [inFlight(0, [someAttempt(0)])]
    expect(verbs({ open, queued: [emptying] }, { balance: 14n * ether })).toContain('assignNonce')
    const toItself = sending(1, 3n * ether, { to: address })
    expect(verbs({ open, queued: [toItself] }, { balance: 12n * ether })).toContain('assignNonce')
    expect(verbs({ open, queued: [emptying] }, { balance: 12n * ether }, {})).toContain('assignNonce')
  })

  test('never goes from an account that delegates, which needs a top-up', () => {
    const seen = { balance: 12n * ether, delegated: true }
    expect(verbs({ queued: [emptying] }, seen)).toEqual(['balance_short'])
    expect(reasons({ queued: [emptying] }, seen)).toEqual([
      `waits: its value (3 ether) leaves less than the network's reserve_balance (${inEther(reserve)}), which an account that delegates (EIP-7702) has to keep: top it up, for this one by 1 ether at most, end the delegation, or cancel it`,
    ])
  })

  test('is not refused for a revert that nodes report meanwhile: the reserve may be its only cause', () => {
    const { gasLimit: _, ...unlimited } = emptying.payload
    const queue = [{ ...emptying, payload: unlimited }]
    const estimates = new Map([[emptying.id, { kind: 'reverts' as const, reason: 'execution reverted' }]])
    const balance = 12n * ether
    const soon = { balance, estimates, nonce: 1, lagged: { balance, nonce: 0 } }
    expect(verbs({ queued: queue }, soon)).toEqual(['would_revert'])
    expect(verbs({ queued: queue }, { balance, estimates, delegated: true })).toEqual(['would_revert'])
    expect(verbs({ queued: queue }, { balance, estimates })).toEqual(['refuse'])
    expect(verbs({ queued: queue }, soon, {})).toEqual(['refuse'])
  })

  test('of a PUT waits for the transactions before it', () => {
    const { from: _, ...rest } = somePayload
    const replaced = replace(inFlight(1, [someAttempt(1)]), { ...rest, to: receiver, value: 3n * ether }, 'public')
    const before = inFlight(0, [someAttempt(0)])
    const balance = 12n * ether
    expect(verbs({ open: [before, replaced] }, { balance })).toEqual(['balance_short'])
    expect(verbs({ open: [replaced] }, { balance, nonce: 1 })).toEqual(['replace'])
    expect(verbs({ open: [before, replaced] }, { balance: 20n * ether })).toEqual(['replace'])
  })

  test('reads whether the account delegates', () => {
    const work = someWork({ queued: [emptying] })
    expect(inquire(work, lacksNothing).delegation).toBe(true)
    expect(inquire(work, lacksNothing, { ...somePolicy.profile, ...monad }).delegation).toBe(true)
    const open = someWork({ open: [inFlight(0)] })
    expect(inquire(open, new Set(['balance']), { ...somePolicy.profile, ...monad }).delegation).toBe(true)
    expect(inquire(open, new Set(['balance'])).delegation).toBe(false)
    expect(inquire(open, lacksNothing, { ...somePolicy.profile, ...monad }).delegation).toBe(false)
  })
})

test('a network without a reserve: nothing is held back, and the balance counts as it is', () => {
  const { work, observation, policy } = someSituation({ open: [inFlight(0)] })
  const before = { nonce: 1, balance: 0n, gasFunds: gasFundsOf(work, observation, policy) }
  expect(before.gasFunds).toBeUndefined()
  expect(countedBalance(work, observation, someMarket, policy)).toBe(observation.balance)
  expect(blockedByReserve({ ...somePayload, value: 10n ** 30n }, before, { work, observation, policy })).toBeUndefined()
  expect(blockedByGas(10n ** 30n, before, { work, observation, policy })).toBeUndefined()
  expect(untouchable(policy.profile, { delegated: true })).toBe(0n)
  expect([withinReserve({ policy }), dependsOnDelegation(policy.profile)]).toEqual([{}, false])
})
