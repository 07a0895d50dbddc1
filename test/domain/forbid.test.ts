// Payloads that policies forbid, checked before a nonce is bound, and before a replacement is signed.
import { describe, expect, test } from 'vitest'
import { forbids } from '../../src/domain/forbid.ts'
import type { Address, Hex } from '../../src/domain/ids.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { decideInWords as decide } from './in-words.ts'
import { canceled, inFlight, queued, receiver, somePayload, somePolicies, someRelayer, someSituation } from './some.ts'

const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as Address
const zero = `0x${'0'.repeat(40)}` as Address
const own = someRelayer().address
const transfer = '0xa9059cbb' as Hex
const call = `${transfer}${'00'.repeat(64)}` as Hex

function reported(policies: Partial<Policies>, payload: { to?: Address; value?: bigint; data?: Hex } = {}) {
  const relayer = someRelayer({ policies: { ...somePolicies, ...policies } })
  return forbids(relayer, { to: receiver, value: 1n, data: '0x', ...payload })
}

describe('receivers', () => {
  test('without a list anybody may receive', () => {
    expect(reported({}, { to: other })).toBeUndefined()
  })
  test('those of the list may, in any case of letters', () => {
    const lower = receiver.toLowerCase() as Address
    expect(reported({ whitelistReceivers: [other, lower] })).toBeUndefined()
  })
  test('others may not, and a contract that is yet to be created neither', () => {
    const whitelistReceivers = [other]
    expect(reported({ whitelistReceivers })).toBe(
      `to: ${receiver} is not among whitelist_receivers of the relayer; send to one of them, or have it added`,
    )
    const relayer = someRelayer({ policies: { ...somePolicies, whitelistReceivers } })
    const creation = forbids(relayer, { value: 0n, data: '0x6000' })
    expect(creation).toMatch(/^to: is missing, and whitelist_receivers/)
  })
  test('nobody may, where the list is empty', () => {
    const whitelistReceivers: Address[] = []
    for (const to of [receiver, other, zero]) {
      expect(reported({ whitelistReceivers }, { to }), to).toBe(
        `to: ${to} may not receive, since whitelist_receivers of the relayer is empty, so that sends may go to nobody; have the address added`,
      )
    }
    const relayer = someRelayer({ policies: { ...somePolicies, whitelistReceivers } })
    expect(forbids(relayer, { value: 0n, data: '0x6000' })).toMatch(/^to: is missing/)
  })
  test("the relayer's own address may beside any list, with empty data only", () => {
    for (const whitelistReceivers of [[other], []]) {
      for (const to of [own, own.toLowerCase() as Address]) {
        expect(reported({ whitelistReceivers }, { to })).toBeUndefined()
        expect(reported({ whitelistReceivers }, { to, data: call })).toEqual(
          expect.stringMatching(
            /^data: is not empty, and to is the relayer's own address, which is not among its whitelist_receivers; /,
          ),
        )
        expect(reported({ whitelistReceivers }, { to, data: '0x00' })).toEqual(
          expect.stringMatching(/^data: is not empty/),
        )
      }
    }
    expect(reported({ whitelistReceivers: [own] }, { to: own, data: call })).toBeUndefined()
    expect(reported({ whitelistReceivers: [other], valueCap: 5n }, { to: own, value: 6n })).toMatch(/^value: /)
  })
  test('the zero address may only where it is listed', () => {
    expect(reported({ whitelistReceivers: [other] }, { to: zero })).toMatch(/^to: 0x0{40} is not among/)
    expect(reported({ whitelistReceivers: [other, zero] }, { to: zero })).toBeUndefined()
  })
})

describe('functions', () => {
  const whitelistSelectors = [{ receiver, selectors: [transfer] }]
  test('listed selectors may be called, and nothing else of that receiver', () => {
    expect(reported({ whitelistSelectors }, { data: call })).toBeUndefined()
    for (const data of ['0x', '0xa9', '0xa9059cbc', '0x095ea7b3ffff'] as Hex[]) {
      expect(reported({ whitelistSelectors }, { data }), data).toMatch(
        /^data: calls .* whitelist_selectors .* 0xa9059cbb/,
      )
    }
  })
  test('0x stands for a plain transfer', () => {
    const plain = [{ receiver, selectors: ['0x' as Hex] }]
    expect(reported({ whitelistSelectors: plain })).toBeUndefined()
    expect(reported({ whitelistSelectors: plain }, { data: call })).toMatch(/^data: calls function 0xa9059cbb of/)
  })
  test('of others everything may be called', () => {
    expect(reported({ whitelistSelectors }, { to: other, data: '0x095ea7b3' })).toBeUndefined()
  })
  test('nothing, where the list is empty', () => {
    expect(reported({ whitelistSelectors: [{ receiver, selectors: [] }] })).toMatch(/allows nothing there/)
  })
})

test('value_cap is the most that may be sent', () => {
  expect(reported({ valueCap: 5n }, { value: 5n })).toBeUndefined()
  expect(reported({ valueCap: 5n }, { value: 6n })).toBe(
    "value: 0.000000006 gwei is above the relayer's value_cap of 0.000000005 gwei; send less, or in parts",
  )
})

describe('policies that were narrowed since', () => {
  const relayer = someRelayer({ policies: { ...somePolicies, whitelistReceivers: [other] } })
  const allowed = queued(2, { payload: { ...somePayload, to: other } })

  test('a payload that is forbidden by now is refused without a nonce, and the one behind it gets one', () => {
    const { decisions, observeAgainAtOnce: again } = decide(
      someSituation({ relayer, queued: [queued(1), allowed] }, { nonce: 7 }),
    )
    expect(decisions).toMatchObject([
      { do: 'refuse', transaction: { sequence: 1 }, reason: expect.stringContaining('whitelist_receivers') },
      { do: 'assignNonce', transaction: { sequence: 2 }, nonce: 7 },
    ])
    expect(again).toBe(true)
  })

  test('a replacement that is forbidden by now is not signed', () => {
    const replaced = inFlight(7, undefined, { earlier: [somePayload], payload: { ...somePayload, value: 2n } })
    const { decisions } = decide(someSituation({ relayer, open: [replaced] }, { nonce: 7 }))
    expect(decisions).toMatchObject([
      { do: 'explain', reason: expect.stringMatching(/waits: the replacement is forbidden: to: .*whitelist/) },
    ])
  })

  test('a no-op of a cancellation, and one that fills a gap, go on beside an empty list', () => {
    const closed = someRelayer({ policies: { ...somePolicies, whitelistReceivers: [] } })
    const race = decide(someSituation({ relayer: closed, open: [inFlight(7, undefined, canceled)] }, { nonce: 7 }))
    expect(race.decisions).toMatchObject([{ do: 'signNoOp' }])
    const gap = decide(someSituation({ relayer: closed, open: [inFlight(8)] }, { nonce: 7, pendingNonce: 7 }))
    expect(gap.decisions).toContainEqual(expect.objectContaining({ do: 'fillGap', nonce: 7 }))
  })

  test('a transaction in flight goes on: it can be canceled, not forbidden', () => {
    const { decisions } = decide(someSituation({ relayer, open: [inFlight(7)] }, { nonce: 7 }))
    expect(decisions.filter(({ do: what }) => what === 'refuse')).toEqual([])
  })
})
