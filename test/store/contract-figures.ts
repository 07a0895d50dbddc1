// The figures of five minutes: by steps and networks, each change counted once, and none of a unit that failed.
import { expect, test } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import { type FigureSums, feesOf, periodMs, periodOf } from '../../src/domain/figures.ts'
import type { NetworkName, RelayerId } from '../../src/domain/ids.ts'
import type { Lifecycle } from '../../src/domain/transaction.ts'
import type { Store } from '../../src/store/store.ts'
import { by, now, someAttempt, someBulk } from '../domain/some.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

const hourMs = 3_600_000
const begun = Math.floor(now / hourMs) * hourMs

/** A transaction that is final, with its gas at this price. */
async function confirmed(store: Store, relayerId: RelayerId, nonce: number, price: bigint, at: number): Promise<void> {
  const sent = await send(store, relayerId, { createdAt: at })
  const own = someAttempt(nonce, { transactionId: sent.id })
  const inclusion = { ...by(own), effectiveGasPrice: price }
  const lifecycle: Lifecycle = { phase: 'final', nonce, attempts: [own], inclusion, finalAt: at, witnesses: 1 }
  await store.commit((session) => session.saveTransaction(sent, { ...sent, lifecycle }, at), relayerId)
}

const shown = ({ at, network, figures }: FigureSums) => ({
  ...{ at, network, confirmed: figures.confirmed, gas: figures.gas, fees: feesOf(figures) },
})

export function figureContract(open: OpenStore): void {
  test('figures are summed by step and network, of all relayers or of one', async () => {
    await using under = await open()
    const { store } = under
    const { id: one } = await storedRelayer(store)
    const { id: two } = await storedRelayer(store)
    const third = await storedRelayer(store)
    const { id: three } = third
    await store.commit((session) => session.saveRelayer({ ...third, network: 'zora' as NetworkName }))
    const times = [begun, begun + periodMs, begun + hourMs, begun + 2 * hourMs]
    for (const [nonce, at] of times.entries()) await confirmed(store, one, nonce, 1_000_000_001n, at)
    await confirmed(store, two, 0, 2n, begun + periodMs + 1)
    await confirmed(store, three, 0, 3n, begun)
    const range = { from: begun, to: begun + 2 * hourMs, stepMs: hourMs }
    const fees = 21_000n * 1_000_000_001n
    const inOne = [
      { at: begun, network: 'localhost', confirmed: 2, gas: 42_000, fees: 2n * fees },
      { at: begun + hourMs, network: 'localhost', confirmed: 1, gas: 21_000, fees },
    ]
    expect((await store.reads.figures(range, one)).map(shown)).toEqual(inOne)
    expect((await store.reads.figures(range)).map(shown)).toEqual([
      { ...inOne[0], confirmed: 3, gas: 63_000, fees: 2n * fees + 42_000n },
      { at: begun, network: 'zora', confirmed: 1, gas: 21_000, fees: 63_000n },
      inOne[1],
    ])
    const fine = await store.reads.figures({ ...range, stepMs: periodMs }, one)
    expect(fine.map(({ at }) => at)).toEqual(times.slice(0, 3))
    await store.commit((session) => session.removeRelayer(three, now))
    const all = await store.reads.figures(range)
    expect(all.filter(({ network }) => network === undefined).map(({ figures }) => figures.confirmed)).toEqual([1])
  })

  test('units that share a commit count each, and one that fails counts nothing', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const sent = await Promise.all([1, 2, 3, 4].map(() => send(store, id)))
    const results = await Promise.allSettled(
      sent.map((each, index) =>
        store.commit(async (session) => {
          await session.saveTransaction(each, cancel(each, now), now)
          if (index === 2) throw new Error('refused')
        }, id),
      ),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    const range = { from: periodOf(now), to: periodOf(now) + periodMs, stepMs: periodMs }
    const [sums] = await store.reads.figures(range, id)
    expect(sums?.figures.canceled).toBe(3)
    await store.commit((session) => session.cancelPending(id, now, someBulk()), id)
    expect((await store.reads.figures(range, id))[0]?.figures.canceled).toBe(4)
  })
}
