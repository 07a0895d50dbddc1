// The events of relayers and of the nodes of a network, as the commits of reports write them: each beginning and each end once, for readers that
// see the relayer and for its notification.
import { expect, test } from 'vitest'
import type { AttentionEvent } from '../../src/domain/attention.ts'
import type { ApiKeyId, NetworkName, RelayerId } from '../../src/domain/ids.ts'
import type { Held } from '../../src/domain/owner-report.ts'
import type { Relayer } from '../../src/domain/relayer.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { type OpenStore, send, storedRelayer } from './contract.ts'

const s = 1_000
const at = (seconds: number) => now + seconds * s
const short = (since: number): Held => ({ condition: 'step_failing', since: at(since) })
const silent = (since: number): Held => ({ condition: 'node_unreachable', since: at(since) })

let networks = 0
/** Relayers of a network of their own. */
async function sharing(store: Store, ...hooks: readonly (string | undefined)[]): Promise<readonly Relayer[]> {
  networks += 1
  const network = `attended-${networks}` as NetworkName
  const all: Relayer[] = []
  for (const notificationId of hooks) {
    const relayer = {
      ...(await storedRelayer(store)),
      network,
      ...(notificationId !== undefined && { notificationId }),
    }
    await store.commit((session) => session.saveRelayer(relayer))
    all.push(relayer)
  }
  return all
}

const report = (store: Store, { id, network }: Relayer, seconds: number, conditions: readonly Held[]) =>
  store.commit(async (session) => {
    const { nextAt, network: shared } = await session.recordReport(id, { observedAt: at(seconds), conditions })
    const next = shared === undefined ? undefined : await session.attendNetwork(network, at(seconds))
    return { nextAt, next }
  })

async function seenBy(store: Store, relayers: readonly Relayer[], after: number) {
  const sees = ({ relayerId }: { relayerId: RelayerId }) => relayers.some(({ id }) => id === relayerId)
  const { events } = await store.reads.events(after, 1_000, sees)
  const { events: found } = await store.reads.searchEvents(after, { rows: 1_000, limit: 100 }, sees)
  expect(found).toEqual(events)
  return events.flatMap((event) => ('attention' in event ? [shown(event)] : []))
}

function shown({ occurredAt, attention }: AttentionEvent) {
  const { isOfNetwork = false, relayers, conditions } = attention
  return {
    at: (occurredAt - now) / s,
    isOfNetwork,
    relayers: relayers.map(({ id }) => id).sort(),
    conditions: conditions.map(({ condition, since }) => [condition, (since - now) / s]),
  }
}

export function attentionContract(open: OpenStore): void {
  test('a condition that holds is one event, and its end another, also by owners that report at once', async () => {
    await using under = await open()
    const { store } = under
    const [relayer, other] = await sharing(store, undefined, undefined)
    if (!relayer || !other) throw new Error('two are stored')
    await send(store, relayer.id)
    const after = await store.reads.newestEvent()
    expect(await report(store, relayer, 0, [short(0)])).toEqual({ nextAt: at(60) })
    expect(await seenBy(store, [relayer], after)).toEqual([])
    // A change of owner: the earlier one is late.
    await Promise.all([60, 60, 60, 59].map((seconds) => report(store, relayer, seconds, [short(0)])))
    await report(store, relayer, 90, [short(0)])
    const begun = { at: 60, isOfNetwork: false, relayers: [relayer.id], conditions: [['step_failing', 0]] }
    expect(await seenBy(store, [relayer], after)).toEqual([begun])
    expect(await report(store, relayer, 100, [])).toEqual({ nextAt: at(160) })
    await Promise.all([160, 160, 161].map((seconds) => report(store, relayer, seconds, [])))
    const [, ended, ...none] = await seenBy(store, [relayer], after)
    expect(ended).toMatchObject({ isOfNetwork: false, relayers: [relayer.id], conditions: [] })
    expect(none).toEqual([])
    expect(await seenBy(store, [other], after)).toEqual([])
    const rows = await under.query<{ id: number; terminal: number }>(
      `SELECT id, terminal FROM outbox WHERE transaction_id = 'relayer ${relayer.id}' ORDER BY id`,
    )
    expect(rows.map(({ terminal }) => Number(terminal))).toEqual([0, 1])
    expect(await store.reads.event(Number(rows[0]?.id))).toMatchObject({
      attention: { network: relayer.network, relayers: [{ id: relayer.id, waiting: 1 }] },
    })
  })

  test('a commit that is cut off leaves neither the report nor its event, and the next one makes it once', async () => {
    await using under = await open()
    const { store } = under
    const [relayer] = await sharing(store, undefined)
    if (!relayer) throw new Error('it is stored')
    const after = await store.reads.newestEvent()
    await report(store, relayer, 0, [short(0), silent(0)])
    const cutOff = store.commit(async (session) => {
      await session.recordReport(relayer.id, { observedAt: at(60), conditions: [short(0), silent(0)] })
      await session.attendNetwork(relayer.network, at(60))
      throw new Error('killed')
    })
    await expect(cutOff).rejects.toThrow('killed')
    expect(await seenBy(store, [relayer], after)).toEqual([])
    for (const seconds of [61, 62]) await report(store, relayer, seconds, [short(0), silent(0)])
    expect((await seenBy(store, [relayer], after)).map((each) => [each.at, each.isOfNetwork])).toEqual([
      [61, false],
      [61, true],
    ])
  })

  test('an acknowledged condition is silent', async () => {
    await using under = await open()
    const { store } = under
    const [relayer] = await sharing(store, undefined)
    if (!relayer) throw new Error('it is stored')
    const after = await store.reads.newestEvent()
    await report(store, relayer, 0, [short(0)])
    const acknowledgment = { at: at(10), by: 'key' as ApiKeyId }
    await store.commit((session) => session.acknowledge(relayer.id, short(0), acknowledgment))
    await report(store, relayer, 60, [short(0)])
    expect(await seenBy(store, [relayer], after)).toEqual([])
    await store.commit((session) => session.withdrawAcknowledgment(relayer.id, 'step_failing'))
    await report(store, relayer, 90, [short(0)])
    expect(await seenBy(store, [relayer], after)).toHaveLength(1)
  })

  test('an outage of a network’s nodes is one event for each notification, and another after the last of its relayers', async () => {
    await using under = await open()
    const { store } = under
    const [one, two, three, idle] = await sharing(store, 'left', 'left', 'right', 'right')
    if (!one || !two || !three || !idle) throw new Error('four are stored')
    const all = [one, two, three, idle]
    const after = await store.reads.newestEvent()
    await Promise.all([one, two, three].map((each) => report(store, each, 0, [silent(0)])))
    await Promise.all([one, two, three].map((each) => report(store, each, 60, [silent(0)])))
    await Promise.all([one, two, three].map((each) => report(store, each, 90, [silent(0)])))
    const begun = { at: 60, isOfNetwork: true, conditions: [['node_unreachable', 0]] }
    const [left, right] = [[one, two].map(({ id }) => id).sort(), [three, idle].map(({ id }) => id).sort()]
    const seen = await seenBy(store, all, after)
    expect(
      seen.toSorted((a, b) => Number(a.relayers.includes(three.id)) - Number(b.relayers.includes(three.id))),
    ).toEqual([
      { ...begun, relayers: left },
      { ...begun, relayers: right },
    ])
    // A key sees its own relayers alone, also one that has not looked since.
    expect(await seenBy(store, [two], after)).toEqual([{ ...begun, relayers: [two.id] }])
    expect(await seenBy(store, [idle], after)).toEqual([{ ...begun, relayers: [idle.id] }])

    await report(store, one, 100, [])
    await report(store, one, 200, [])
    expect(await seenBy(store, all, after)).toHaveLength(2)
    expect(await report(store, two, 210, [])).toEqual({ next: at(270) })
    await Promise.all([report(store, one, 270, []), report(store, two, 271, [])])
    const ended = { isOfNetwork: true, relayers: left, conditions: [] }
    expect((await seenBy(store, all, after)).slice(2)).toMatchObject([ended])
    const rows = await under.query<{ notification_id: string; terminal: number }>(
      `SELECT notification_id, terminal FROM outbox WHERE transaction_id = 'network ${one.network}' ORDER BY id`,
    )
    expect(rows.map((row) => [row.notification_id, Number(row.terminal)]).sort()).toEqual([
      ['left', 0],
      ['left', 1],
      ['right', 0],
    ])
  })

  test('a relayer without the network’s nodes has its own outage', async () => {
    await using under = await open()
    const { store } = under
    const [own, other] = await sharing(store, undefined, undefined)
    if (!own || !other) throw new Error('two are stored')
    await store.commit((session) =>
      session.saveEntity({ kind: 'relayer', id: own.id, facts: '{}', sealed: 'endpoints' }),
    )
    const after = await store.reads.newestEvent()
    for (const seconds of [0, 60]) await report(store, own, seconds, [silent(0)])
    const begun = { at: 60, isOfNetwork: false, relayers: [own.id], conditions: [['node_unreachable', 0]] }
    expect(await seenBy(store, [own, other], after)).toEqual([begun])
  })

  test('what was begun ends with the relayer', async () => {
    await using under = await open()
    const { store } = under
    const [relayer] = await sharing(store, 'left')
    if (!relayer) throw new Error('it is stored')
    const after = await store.reads.newestEvent()
    for (const seconds of [0, 60]) await report(store, relayer, seconds, [short(0), silent(0)])
    await store.commit((session) => session.removeRelayer(relayer.id, at(70)))
    const subjects = [`relayer ${relayer.id}`, `network ${relayer.network}`]
    for (const subject of subjects) {
      const rows = await under.query<{ notification_id: string; terminal: number }>(
        `SELECT notification_id, terminal FROM outbox WHERE transaction_id = '${subject}' AND id > ${after} ORDER BY id`,
      )
      expect(rows.map((row) => [row.notification_id, Number(row.terminal)])).toEqual([
        ['left', 0],
        ['left', 1],
      ])
    }
    await report(store, relayer, 80, [short(80)])
    expect(await store.reads.ownerReport(relayer.id)).toBe(undefined)
  })
}
