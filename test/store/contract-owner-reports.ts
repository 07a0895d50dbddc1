// The last observation of a relayer, who changed it last, and acknowledgments of its conditions, as stored.
import { expect, test } from 'vitest'
import type { ApiKeyId } from '../../src/domain/ids.ts'
import type { OwnerReport } from '../../src/domain/owner-report.ts'
import { type OpenStore, storedRelayer } from './contract.ts'

const short = {
  condition: 'balance_short',
  since: 1_000,
  text: 'the next send would wait: a\u2028b',
  facts: { of: 'send', balance: 2n ** 200n, value: 0n, short: 1n, paysL1: false },
} as const
const report: OwnerReport = {
  observedAt: 5_000,
  balance: { wei: 2n ** 200n, readAt: 4_000 },
  funds: { runway: { ms: 3_000, perDay: 2n ** 190n }, warnings: [{ warning: 'runway_short', since: 3_000 }] },
  conditions: [short, { condition: 'step_failing', since: 2_000 }],
}
const by = 'key' as ApiKeyId

export function ownerReportContract(open: OpenStore): void {
  test('the newest observation of a relayer stays, also if an earlier owner is late', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)

    expect(await store.reads.ownerReport(id)).toBeUndefined()
    await store.commit((session) => session.recordReport(id, report))
    expect(await store.reads.ownerReport(id)).toEqual(report)
    await store.commit((session) => session.recordReport(id, { observedAt: 4_999, conditions: [] }))
    expect(await store.reads.ownerReport(id)).toEqual(report)
    await store.commit((session) => session.recordReport(id, { observedAt: 5_000, conditions: [] }))
    expect(await store.reads.ownerReport(id)).toEqual({ observedAt: 5_000, conditions: [] })
  })

  test('an acknowledgment lapses with its condition', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)
    const acknowledged = { at: 6_000, by, note: 'topped up\0tonight' }

    await store.commit((session) => session.recordReport(id, report))
    await store.commit((session) => session.acknowledge(id, short, acknowledged))
    expect(await store.commit((session) => session.ownerReport(id))).toEqual({
      ...report,
      conditions: [{ ...short, acknowledged }, report.conditions[1]],
    })
    // The owner did not write it.
    await store.commit((session) => session.recordReport(id, { ...report, observedAt: 7_000 }))
    expect((await store.reads.ownerReport(id))?.conditions[0]?.acknowledged).toEqual(acknowledged)
    await store.commit((session) =>
      session.recordReport(id, { observedAt: 8_000, conditions: [{ ...short, since: 7_500 }] }),
    )
    expect((await store.reads.ownerReport(id))?.conditions).toEqual([{ ...short, since: 7_500 }])

    await store.commit((session) => session.acknowledge(id, { ...short, since: 7_500 }, { at: 9_000, by }))
    expect((await store.reads.ownerReport(id))?.conditions[0]?.acknowledged).toEqual({ at: 9_000, by })
    await store.commit((session) => session.withdrawAcknowledgment(id, 'balance_short'))
    expect((await store.reads.ownerReport(id))?.conditions).toEqual([{ ...short, since: 7_500 }])
  })

  test('the last change of a relayer stays, and all of this goes with the relayer', async () => {
    await using under = await open()
    const { store } = under
    const { id } = await storedRelayer(store)

    expect(await store.reads.relayerChange(id)).toBeUndefined()
    const change = { at: 1_000, by, operation: 'updateRelayer', members: ['paused'] }
    await store.commit((session) => session.recordRelayerChange(id, { ...change, at: 500 }))
    await store.commit((session) => session.recordRelayerChange(id, change))
    await store.commit((session) => session.recordReport(id, report))
    await store.commit((session) => session.acknowledge(id, short, { at: 6_000, by }))
    expect(await store.reads.relayerChange(id)).toEqual(change)
    await store.commit((session) => session.removeRelayer(id, 2_000))
    for (const table of ['owner_reports', 'relayer_changes', 'acknowledgments'])
      expect(await under.query(`SELECT * FROM ${table}`)).toEqual([])
  })
}
