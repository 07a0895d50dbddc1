// Cancellation where transactions are ordered as they come: which no-ops are signed, and which never are.
import { describe, expect, test } from 'vitest'
import type { Attempt, RejectionCode } from '../../../src/domain/attempt.ts'
import type { NonEmpty } from '../../../src/domain/ids.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import { previewCancellation } from '../../../src/domain/preview/preview-cancellation.ts'
import type { NetworkPolicy } from '../../../src/domain/relayer.ts'
import { decideInWords as decide } from '../in-words.ts'
import {
  answered,
  broadcastStates,
  canceled,
  eip1559,
  gwei,
  headAt,
  height,
  inFlight,
  now,
  someAttempt,
  someMarket,
  someNoOp,
  someObservation,
  somePolicies,
  somePolicy,
  someRelayer,
  someSituation,
  someWork,
} from '../some.ts'

const fcfs: NetworkPolicy = {
  ...somePolicy,
  ...{ bumpAfter: { blocks: 3, ms: 3_000 }, cancelBumpAfter: { blocks: 2, ms: 2_000 } },
  profile: { ...somePolicy.profile, pool: 'fcfs', keepsFutureNonceMs: 1_000 },
}
const rejected = (code: RejectionCode, at = now - 2_000) =>
  ({ ...answered({ kind: 'rejected', code, message: code }, at), rejections: 'all' }) as const
const sent = (broadcast: Attempt['broadcast'], changes: Partial<Attempt> = {}) =>
  someAttempt(0, { broadcast, recordedAt: now - 2_000, recordedAtBlock: height - 1, ...changes })

function decisionsOn(attempts: NonEmpty<Attempt>, changes: Partial<Observation> = {}, work = {}, at = now) {
  const open = [inFlight(0, attempts, canceled)]
  const situation = { work: someWork({ open, ...work }), observation: someObservation(changes), policy: fcfs }
  return decide({ ...situation, now: at }).decisions
}
const verbsOn = (...given: Parameters<typeof decisionsOn>) => decisionsOn(...given).map(({ do: verb }) => verb)

describe('a payload that was certainly rejected', () => {
  test.each<RejectionCode>(['insufficientFunds', 'feeTooLow', 'poolFull'])('%s: is dropped, free', (code) => {
    expect(verbsOn([sent(rejected(code))])).toEqual(['drop'])
  })

  test('is dropped once no proxy repeats it any more, and until then costs nothing', () => {
    expect(verbsOn([sent(rejected('poolFull', now - 999))])).toEqual([])
    expect(verbsOn([sent(rejected('poolFull', now - 1_000))])).toEqual(['drop'])
  })

  test('for a nonce that is too high may have been kept and ordered: it is in doubt', () => {
    expect(verbsOn([sent(rejected('nonceGap', now - 90_000))])).toEqual(['signNoOp'])
  })

  test('is not dropped by a clock that was set back: then one no-op takes the nonce', () => {
    expect(verbsOn([sent(rejected('poolFull', now + 60_000))])).toEqual(['signNoOp'])
  })

  test('is not dropped while a no-op may be ordered', () => {
    const noOp = someNoOp(0, { broadcast: broadcastStates.unknown })
    expect(verbsOn([sent(rejected('poolFull')), noOp])).not.toContain('drop')
  })

  test('as invalid is in doubt: a gateway may say so although the sequencer has it', () => {
    expect(verbsOn([sent(rejected('invalid', now - 90_000))])).toEqual(['signNoOp'])
  })

  test('by one endpoint only, is in doubt', () => {
    const { rejections: _, ...doubtful } = rejected('poolFull')
    expect(verbsOn([sent(doubtful)])).toEqual(['signNoOp'])
  })
})

test('a payload of which only the hash was answered may not be ordered yet, or be lost: one no-op takes the nonce at once', () => {
  const accepted = sent(answered({ kind: 'accepted' }, now - 100))
  expect(verbsOn([accepted])).toEqual(['signNoOp'])
  expect(verbsOn([sent(answered({ kind: 'alreadyKnown' }, now - 100))])).toEqual(['signNoOp'])
  const work = someWork({ open: [inFlight(0, [accepted])] })
  const observation = { ...someObservation(), market: someMarket }
  expect(previewCancellation(work, 0, observation, fcfs, now)).toMatchObject({ tooLate: 0, noOps: 1 })
})

describe('a payload that the sequencer ordered', () => {
  const ordered = sent(answered({ kind: 'accepted', code: 'ordered' }, now - 100))

  test('waits for its block, and no no-op is signed', () => {
    expect(decisionsOn([ordered])).toMatchObject([
      { do: 'explain', condition: 'already_ordered', reason: expect.stringMatching(/^canceled; .* lost$/) },
    ])
  })

  test('or whose nonce it calls spent, which no block shows yet, waits as well', () => {
    const { spent } = broadcastStates
    expect(decisionsOn([sent(spent)])).toMatchObject([
      { do: 'explain', condition: 'already_ordered', reason: expect.stringMatching(/nonce is spent/) },
    ])
    const head = headAt(height + 3, { timestampMs: now + 3_000 })
    expect(verbsOn([sent(spent)], { head }, {}, now + 4_000)).toEqual(['signNoOp'])
  })

  test('is in doubt once blocks and time have passed without it', () => {
    const head = headAt(height + 3, { timestampMs: now + 3_000 })
    const old = headAt(height + 3, { timestampMs: now - 200 })
    expect(verbsOn([ordered], { head: old }, {}, now + 59_899)).toEqual(['explain'])
    expect(verbsOn([ordered], { head: old }, {}, now + 59_900)).toEqual(['signNoOp'])
    expect(verbsOn([ordered], { head })).toEqual(['explain'])
    expect(verbsOn([ordered], {}, {}, now + 3_900)).toEqual(['explain'])
    expect(verbsOn([ordered], { head }, {}, now + 3_899)).toEqual(['explain'])
    expect(verbsOn([ordered], { head }, {}, now + 3_900)).toEqual(['signNoOp'])
    expect(verbsOn([ordered], { head, blocktimeMs: 12_000 }, {}, now + 3_900)).toEqual(['explain'])
  })

  test('behind a nonce that is still open is not in doubt, however long that takes', () => {
    const [one, two] = [inFlight(0), inFlight(1, [{ ...ordered, nonce: 1 }], canceled)]
    const { decisions } = decide(someSituation({ open: [one, two] }, { head: headAt(height + 30) }, fcfs, now + 90_000))
    expect(decisions.filter((each) => each.do === 'signNoOp')).toEqual([])
  })

  test('is too late in a preview, and costs nothing', () => {
    const work = someWork({ open: [inFlight(0, [ordered])] })
    const observation = { ...someObservation(), market: someMarket }
    expect(previewCancellation(work, 0, observation, fcfs, now)).toMatchObject({
      ...{ tooLate: 1, noOps: 0, overCap: 0, cost: { today: 0n } },
    })
  })

  test('is raced where a pool takes a higher price', () => {
    const open = [inFlight(0, [ordered], canceled)]
    const situation = { work: someWork({ open }), observation: someObservation(), now }
    for (const pool of ['public', 'private'] as const) {
      const policy = { ...fcfs, profile: { ...fcfs.profile, pool } }
      expect(decide({ ...situation, policy }).decisions).toMatchObject([{ do: 'signNoOp' }])
    }
  })
})

describe('a payload whose outcome is unknown', () => {
  const unknown = sent(broadcastStates.unknown)
  const price = eip1559(24n * gwei, 4n * gwei)
  const noOpWith = (changes: Partial<Attempt>) =>
    someNoOp(0, { fees: price, recordedAt: now - 60_000, recordedAtBlock: height - 5, ...changes })

  test('gets a no-op at the market’s price, not over the payload’s', () => {
    const dear = sent(broadcastStates.unknown, { fees: eip1559(900n * gwei, 300n * gwei) })
    expect(decisionsOn([dear])).toMatchObject([{ do: 'signNoOp', fees: price, gasLimit: 21_000 }])
  })

  test('keeps one live no-op: the same bytes are broadcast again, however long it takes', () => {
    const noOp = noOpWith({ broadcast: answered({ kind: 'unknown', message: 'timed out' }, now - 60_000) })
    const at = { head: headAt(height + 300) }
    expect(decisionsOn([unknown, noOp], at)).toMatchObject([
      { do: 'explain', condition: 'outcome_unknown' },
      { do: 'rebroadcast', attempt: { hash: noOp.hash } },
    ])
  })

  test('gets another no-op when the base fee is above the cap of the last', () => {
    const baseFee = 25n * gwei
    const market = { ...someMarket, baseFee }
    const noOp = noOpWith({ broadcast: broadcastStates.unknown })
    const [decision] = decisionsOn([unknown, noOp], { market, head: headAt(height + 1, { baseFee }) })
    expect(decision).toMatchObject({ do: 'signNoOp', fees: eip1559(54n * gwei, 4n * gwei) })
  })

  test('gets another no-op when every endpoint rejected the price of the last, and the market’s has risen', () => {
    const noOp = noOpWith({ broadcast: rejected('feeTooLow') })
    expect(verbsOn([unknown, noOp])).not.toContain('signNoOp')
    const market = { ...someMarket, baseFee: 11n * gwei }
    expect(verbsOn([unknown, noOp], { market })).toEqual(['signNoOp'])
  })

  test('gets another no-op at the same price when nodes estimate more gas than the last has', () => {
    const policy = { ...fcfs, profile: { ...fcfs.profile, noOpGas: 'estimated', floorGas: false } as const }
    const noOp = noOpWith({ broadcast: broadcastStates.unknown, gasLimit: 60_000 })
    const verbs = (noOpGas: number) =>
      decide({
        work: someWork({ open: [inFlight(0, [unknown, noOp], canceled)] }),
        observation: someObservation({ market: { ...someMarket, noOpGas } }),
        ...{ policy, now },
      }).decisions
    expect(verbs(60_001)).toMatchObject([{ do: 'signNoOp', fees: price, gasLimit: 90_002 }])
    expect(verbs(60_000)).not.toContainEqual(expect.objectContaining({ do: 'signNoOp' }))
  })

  test('waits at the cap of no-ops, and says so', () => {
    const relayer = someRelayer({ policies: { ...somePolicies, cancelGasPriceCap: 9n * gwei } })
    expect(decisionsOn([unknown], {}, { relayer })).toMatchObject([{ condition: 'cancel_gas_price_cap' }])
  })
})

describe('a send', () => {
  const later = now + 60_000
  const pursued = (attempt: Attempt, changes: Partial<Observation> = {}) => {
    return decide(
      someSituation({ open: [inFlight(0, [attempt])] }, { head: headAt(height + 30), ...changes }, fcfs, later),
    ).decisions
  }

  test('is not priced anew while its cap is above the base fee', () => {
    expect(pursued(sent(broadcastStates.unknown)).map(({ do: verb }) => verb)).toEqual(['rebroadcast'])
    expect(pursued(sent(broadcastStates.underpriced)).map(({ do: verb }) => verb)).toEqual(['rebroadcast'])
    expect(pursued(sent(broadcastStates.accepted)).filter((each) => each.do === 'bump')).toEqual([])
  })

  test('is signed at the market’s price when the base fee is above its cap', () => {
    const baseFee = 21n * gwei
    const changes = { market: { ...someMarket, baseFee }, head: headAt(height + 1, { baseFee }) }
    expect(pursued(sent(rejected('feeTooLow')), changes)).toMatchObject([
      { do: 'bump', fees: eip1559(44n * gwei, 2n * gwei) },
    ])
  })
})
