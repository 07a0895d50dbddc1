// Sends where the price depends on the data: the node's estimate is the least, also beside a gas limit of the client's own.

import { expect, test } from 'vitest'
import { inquire } from '../../../src/domain/decide/facts/inquire.ts'
import { lacksNothing } from '../../../src/domain/decide/plan/lacks.ts'
import type { Estimate } from '../../../src/domain/observation.ts'
import { decideInWords as decide } from '../in-words.ts'
import { eip1559, gwei, now, queued, someObservation, somePolicy, someWork } from '../some.ts'

const policy = { ...somePolicy, profile: { ...somePolicy.profile, priceSource: 'linea_estimate_gas' } as const }
const work = someWork({ queued: [queued(1)] })

function decisionsWith(estimate: Estimate) {
  const observation = someObservation({ estimates: new Map([[queued(1).id, estimate]]) })
  return decide({ work, observation, policy, now }).decisions
}

test('a payload with a gas limit of its own is estimated for its price', () => {
  expect(inquire(work, lacksNothing, policy.profile).estimates).toHaveLength(1)
  expect(inquire(work, lacksNothing).estimates).toEqual([])
})

test('the tip is at least the estimate, and the gas limit is the one that the client named', () => {
  expect(decisionsWith({ kind: 'gas', gas: 90_000, tip: 9n * gwei })).toMatchObject([
    { do: 'assignNonce', gasLimit: 21_000, fees: eip1559(29n * gwei, 9n * gwei) },
  ])
  expect(decisionsWith({ kind: 'gas', gas: 90_000, tip: 1n })).toMatchObject([{ fees: eip1559(22n * gwei, 2n * gwei) }])
})

test('without an estimate the market counts, and a client that names its gas limit is not refused for a revert', () => {
  for (const estimate of [{ kind: 'unknown' }, { kind: 'reverts', reason: 'no' }] as const) {
    expect(decisionsWith(estimate)).toMatchObject([{ do: 'assignNonce', fees: eip1559(22n * gwei, 2n * gwei) }])
  }
})
