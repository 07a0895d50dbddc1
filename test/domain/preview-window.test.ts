// The preview of the window: how many may be in flight, and the most that canceling so many costs.
import { expect, test } from 'vitest'
import { usesEip1559 } from '../../src/domain/decide/terms/funds.ts'
import { feeCap, marketFees } from '../../src/domain/fees.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { previewWindow } from '../../src/domain/preview/preview-window.ts'
import { gwei, someMarket, somePolicies, somePolicy, someRelayer } from './some.ts'

const gasLimit = 21_000
const relayerWith = (policies: Partial<Policies>) => {
  const { maxInFlight: _, ...rest } = somePolicies
  return someRelayer({ policies: { ...rest, ...policies } })
}
const market = feeCap(marketFees(someMarket, 'fastest', usesEip1559(someRelayer(), somePolicy)))

test('the window of the owner and its upper bound, at the price of a no-op', () => {
  const seen = { market: someMarket, gasLimit, window: 64 }
  const cost = (price: bigint) => ({ today: 512n * 21_000n * price })
  expect(previewWindow(relayerWith({}), somePolicy, seen)).toEqual({ present: 64, most: 512, cost: cost(market) })
  const offered = 3n * market
  expect(previewWindow(relayerWith({}), somePolicy, { ...seen, offered }).cost).toEqual(cost(offered))
  const withL1 = { ...seen, market: { ...someMarket, noOpL1Fee: 7n } }
  expect(previewWindow(relayerWith({}), somePolicy, withL1).cost).toEqual({ today: cost(market).today + 512n * 7n })
})

test('where another process is the owner only the bound is there; a number, and a delegation, are both', () => {
  const seen = { market: someMarket, gasLimit }
  expect(previewWindow(relayerWith({}), somePolicy, seen)).toEqual({ most: 512, cost: expect.anything() })
  expect(previewWindow(relayerWith({ maxInFlight: 1024 }), somePolicy, seen)).toMatchObject({
    present: 1024,
    most: 1024,
  })
  const delegated = { ...seen, window: 16, delegated: true }
  expect(previewWindow(relayerWith({}), somePolicy, delegated)).toMatchObject({ present: 1, most: 1 })
  expect(previewWindow(relayerWith({ maxInFlight: 4 }), somePolicy, delegated)).toMatchObject({ present: 4, most: 4 })
})

test('no amount is above cancel_gas_price_cap', () => {
  const seen = { market: someMarket, gasLimit, offered: 900n * gwei }
  const capped = relayerWith({ maxInFlight: 10, cancelGasPriceCap: 50n * gwei })
  const max = 10n * 21_000n * 50n * gwei
  expect(previewWindow(capped, somePolicy, seen).cost).toEqual({ today: max, max })
})
