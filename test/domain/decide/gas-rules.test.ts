// What the prices of gas of a fork change in decisions: payloads in flight that became too tight, and the
// words for a lack of gas.

import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/domain/attempt.ts'
import { decide } from '../../../src/domain/decide/decide.ts'
import { include } from '../../../src/domain/decide/facts/inclusion.ts'
import { inquire } from '../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import type { GasFigures } from '../../../src/domain/gas-figures.ts'
import { osakaRules } from '../../../src/domain/gas-figures.ts'
import { noOpGasLimit } from '../../../src/domain/no-op.ts'
import { ethereumProfile } from '../../../src/domain/profile.ts'
import type { Inclusion, Payload } from '../../../src/domain/transaction.ts'
import {
  answered,
  by,
  calledInvalid,
  gwei,
  inFlight,
  now,
  someAttempt,
  someHead,
  somePayload,
  somePolicy,
  someSituation,
  someWork,
} from '../some.ts'

const amsterdam: GasFigures = { base: 12_000, floor: 64, newAccount: 183_600 }

describe('a payload in flight below a new floor', () => {
  const { gasLimit: _, ...estimated } = { ...somePayload, data: `0x${'00'.repeat(2_000)}` as const }
  const tight = (payload: Payload) =>
    inFlight(0, [someAttempt(0, { gasLimit: 49_200, recordedAtBlock: someHead.number - 1 })], { payload })
  const next = (payload: Payload, gasFigures: GasFigures) =>
    decide(someSituation({ open: [tight(payload)] }, { nonce: 0, balance: 10n ** 20n, gasFigures })).decisions

  test('is signed anew with more gas where the client named none, and its estimate is read', () => {
    expect(next(estimated, amsterdam)).toContainEqual(expect.objectContaining({ do: 'bump', gasLimit: 149_000 }))
    const { estimates } = inquire(someWork({ open: [tight(estimated)] }), lacksNothing, ethereumProfile, amsterdam)
    expect(estimates).toHaveLength(1)
  })
  describe('whose client named its fees and no limit', () => {
    const pricing = { kind: 'eip1559', maxFeePerGas: 30n * gwei, maxPriorityFeePerGas: gwei } as const
    const bumped = (broadcast: Attempt['broadcast']) => {
      const payload = { ...estimated, pricing }
      const attempt = someAttempt(0, {
        ...{ gasLimit: 49_200, recordedAtBlock: someHead.number - 1, fees: pricing, broadcast },
      })
      return decide(
        someSituation(
          { open: [inFlight(0, [attempt], { payload })] },
          { nonce: 0, balance: 10n ** 20n, gasFigures: amsterdam },
        ),
      ).decisions
    }
    test('is signed anew with more gas at these fees, once every node has refused it', () => {
      expect(bumped(calledInvalid(now))).toContainEqual(
        expect.objectContaining({ do: 'bump', gasLimit: 149_000, fees: pricing }),
      )
    })
    test('waits while a pool may hold it, as other bytes at these fees replace nothing there', () => {
      const decisions = bumped(answered({ kind: 'accepted' }))
      expect(decisions).toContainEqual(expect.objectContaining({ do: 'explain' }))
      expect(decisions).not.toContainEqual(expect.objectContaining({ do: 'bump' }))
    })
  })
  test('keeps its limit where the client named it, and before the fork', () => {
    const bumps = (payload: Payload, figures: GasFigures) =>
      next(payload, figures).filter(({ do: what }) => what === 'bump')
    expect(bumps({ ...estimated, gasLimit: 49_200 }, amsterdam)).toEqual([])
    expect(bumps(estimated, osakaRules)).toEqual([])
    expect(bumps(estimated, {})).toEqual([])
  })
  test('whose client named the limit is given up once blocks have passed, though a pool holds it', () => {
    const pricing = { kind: 'eip1559', maxFeePerGas: 30n * gwei, maxPriorityFeePerGas: gwei } as const
    const named = { ...estimated, gasLimit: 49_200 }
    const decided = (payload: Payload, recordedAtBlock: number, gasFigures: GasFigures) =>
      decide(
        someSituation(
          {
            open: [inFlight(0, [someAttempt(0, { gasLimit: 49_200, recordedAtBlock, fees: pricing })], { payload })],
          },
          { nonce: 0, balance: 10n ** 20n, gasFigures },
        ),
      ).decisions
    const old = someHead.number - somePolicy.bumpAfter.blocks
    const refused = { as: 'belowLeastGas', words: expect.stringMatching(/^its gas_limit 49200 is below .*floor 64/) }
    for (const payload of [named, { ...named, pricing }]) {
      expect(decided(payload, old, amsterdam)).toMatchObject([{ do: 'giveUp', refused }])
      for (const [block, figures] of [
        [old + 1, amsterdam],
        [old, osakaRules],
        [old, {}],
      ] as const) {
        expect(decided(payload, block, figures)).not.toContainEqual(expect.objectContaining({ do: 'giveUp' }))
      }
    }
  })
})

describe('a payload without a limit that every endpoint calls invalid', () => {
  const { gasLimit: _, ...estimated } = { ...somePayload, value: 0n, data: '0x5e11da7a' as const }
  const next = (gasLimit: number, gasFigures: GasFigures, gasRules?: GasFigures) => {
    const refused = someAttempt(0, {
      ...{ gasLimit, recordedAtBlock: someHead.number - 1, broadcast: calledInvalid(now - 30_000) },
    })
    return decide(
      someSituation(
        { open: [inFlight(0, [refused], { payload: estimated })] },
        {
          ...{ nonce: 0, balance: 10n ** 20n, gasFigures },
          refusedByAll: new Map([[refused.hash, 'intrinsic gas too low']]),
          estimates: new Map([[inFlight(0).id, { kind: 'gas', gas: 21_160 }]]),
        },
        { ...somePolicy, profile: { ...ethereumProfile, ...(gasRules && { gasRules }) } },
      ),
    ).decisions
  }

  test.each([
    ['that a reorganization has undone', {}],
    ['that these endpoints do not follow', amsterdam],
  ])('is signed anew with what both sides of a fork accept, %s', (_name, figures) => {
    expect(next(18_307, figures)).toContainEqual(expect.objectContaining({ do: 'bump', gasLimit: 21_160 }))
  })
  test('is given up with that, and where the profile names the figures', () => {
    expect(next(21_160, amsterdam)).toContainEqual(expect.objectContaining({ do: 'giveUp' }))
    expect(next(18_307, amsterdam, amsterdam)).toContainEqual(expect.objectContaining({ do: 'giveUp' }))
  })
})

describe('a failed execution', () => {
  const reasonOf = (gasUsed: number, revertReason?: string) => {
    const attempt = someAttempt(0, { gasLimit: 50_000 })
    const failed = {
      ...by(attempt, someHead.number, false),
      gasUsed,
      ...(revertReason !== undefined && { revertReason }),
    }
    return include(inFlight(0, [attempt]), failed as Inclusion).statusReason
  }
  test('is called out of gas where it used all of its limit, and no node has another reason', () => {
    expect(reasonOf(50_000)).toBe('out of gas: it used all of its gas_limit, 50000')
    expect(reasonOf(50_000, 'execution reverted')).toBe('out of gas: it used all of its gas_limit, 50000')
    expect(reasonOf(50_000, 'invalid opcode')).toBe('execution reverted: invalid opcode')
    expect(reasonOf(49_999)).toBe('execution reverted')
  })
})

describe('the gas limit of a no-op', () => {
  test('is 21,000 on both sides of a fork, and follows the chain where the limit is charged', () => {
    expect(noOpGasLimit({ noOpGas: 12_000 }, ethereumProfile)).toBe(21_000)
    expect(noOpGasLimit({}, ethereumProfile)).toBe(21_000)
    expect(noOpGasLimit({ noOpGas: 12_000 }, { ...ethereumProfile, charges: 'gas_limit' })).toBe(12_000)
    expect(noOpGasLimit({}, { ...ethereumProfile, charges: 'gas_limit' })).toBe(21_000)
  })
})
