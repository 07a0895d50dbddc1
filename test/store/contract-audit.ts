// The audit log: durable with the change that it tells of, read page by page, and kept to its bounds.
import { expect, test } from 'vitest'
import type { AuditRecord } from '../../src/domain/audit.ts'
import type { ApiKeyId } from '../../src/domain/ids.ts'
import type { Store } from '../../src/store/store.ts'
import { now } from '../domain/some.ts'
import { type OpenStore, sendWithin, storedRelayer } from './contract.ts'

function decision(number: number, changes: Partial<AuditRecord> = {}): AuditRecord {
  return { at: now + number, outcome: 'allowed', keyId: 'some' as ApiKeyId, requestId: `r${number}`, ...changes }
}

/** A commit of each. */
async function noteEach(store: Store, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await store.commit(async (session) => session.recordAudit(decision(number)))
}

async function reported(store: Store): Promise<(string | undefined)[]> {
  const { entries } = await store.reads.audit(10_000)
  return entries.map(({ requestId }) => requestId)
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number)

export function auditContract(open: OpenStore): void {
  test('an entry comes back as it was noted', async () => {
    await using under = await open()
    const whole: AuditRecord = {
      at: now,
      outcome: 'refused',
      code: 'SCOPE_MISSING',
      keyId: 'k' as ApiKeyId,
      operation: 'o',
      relayerId: 'r',
      transactionId: 't',
      subjectId: 's',
      requestId: 'q',
      address: '::1',
      count: 7,
    }
    const bare: AuditRecord = { at: now + 1, outcome: 'failed' }
    for (const each of [whole, bare]) await under.store.commit(async (session) => session.recordAudit(each))
    const { entries, total } = await under.store.reads.audit(10)
    expect(entries.map(({ position: _, ...rest }) => rest)).toStrictEqual([bare, whole])
    expect(total).toBe(2)
  })

  test('a unit that fails leaves none, and those beside it in the commit leave theirs', async () => {
    await using under = await open()
    const { store } = under
    const relayer = await storedRelayer(store)
    const outcomes = await Promise.allSettled(
      upTo(30).map((number) =>
        store.commit(async (session) => {
          session.recordAudit(decision(number))
          await sendWithin(session, relayer.id)
          if (number % 3 === 0) throw new Error('refused')
        }),
      ),
    )
    const stood = upTo(30).filter((number) => outcomes[number]?.status === 'fulfilled')
    expect(stood).toHaveLength(20)
    expect((await reported(store)).sort()).toEqual(stood.map((number) => `r${number}`).sort())
    expect((await store.reads.audit(1)).total).toBe(20)
  })

  test('pages follow each other without a gap and without a double, while new entries come in', async () => {
    await using under = await open()
    const { store } = under
    await Promise.all(upTo(57).map((number) => store.commit(async (session) => session.recordAudit(decision(number)))))
    await noteEach(store, [57, 58, 59])
    const all = await reported(store)
    expect(all.slice(0, 3)).toEqual(['r59', 'r58', 'r57'])
    expect([...all].sort()).toEqual(
      upTo(60)
        .map((number) => `r${number}`)
        .sort(),
    )
    for (const size of [1, 4, 60]) {
      const paged: (string | undefined)[] = []
      let before = (await store.reads.audit(1)).entries[0]?.position
      paged.push((await store.reads.audit(1)).entries[0]?.requestId)
      for (;;) {
        const { entries } = await store.reads.audit(size, before)
        paged.push(...entries.map(({ requestId }) => requestId))
        before = entries.at(-1)?.position
        if (!before) break
      }
      expect(paged).toEqual(all)
    }
    const first = (await store.reads.audit(2)).entries.at(-1)?.position
    await noteEach(store, [60])
    expect((await store.reads.audit(1, first)).entries[0]?.requestId).toBe(all[2])
  })

  test('the oldest go where there are too many, or where they are too old, and the newest stays', async () => {
    await using under = await open()
    const { store } = under
    const prune = (entriesMax: number, since: number, rows: number) =>
      store.commit((session) => session.pruneAudit({ entriesMax, since }, rows))
    await noteEach(store, upTo(20))
    expect(await prune(20, now, 100)).toBe(false)
    expect(await reported(store)).toHaveLength(20)
    expect(await prune(12, now, 100)).toBe(true)
    expect(await prune(12, now, 100)).toBe(false)
    expect((await reported(store)).at(-1)).toBe('r8')
    expect(await prune(100, now + 15, 100)).toBe(false)
    expect((await reported(store)).at(-1)).toBe('r15')
    await noteEach(store, upTo(20))
    expect(await prune(1, now + 99, 4)).toBe(true)
    expect(await reported(store)).toHaveLength(17)
    expect(await prune(1, now + 99, 100)).toBe(false)
    expect(await reported(store)).toEqual(['r19'])
    const { position } = (await store.reads.audit(1)).entries[0] ?? {}
    await noteEach(store, [20])
    expect((await store.reads.audit(1)).entries[0]?.position.commit).toBeGreaterThan(position?.commit ?? Number.NaN)
  })

  test('above the limit the records of the key with the most go, and lasting ones by their age alone', async () => {
    await using under = await open()
    const { store } = under
    const note = (requestId: string, changes: Partial<AuditRecord>) =>
      store.commit(async (session) => session.recordAudit({ at: now, outcome: 'allowed', requestId, ...changes }))
    const admin = { keyId: 'admin' as ApiKeyId, operation: 'createApiKey' }
    await note('lasting', admin)
    await note('refused', { ...admin, outcome: 'refused', code: 'SCOPE_MISSING' })
    await note('nobody', { outcome: 'refused', count: 4 })
    const small = (name: string) => ({ keyId: name as ApiKeyId, operation: 'createBulkCancellation' })
    // In one commit, as under load.
    await Promise.all(upTo(20).map((number) => note(`few${number}`, small('few'))))
    for (const number of upTo(60)) await note(`many${number}`, small('many'))
    while (await store.commit((session) => session.pruneAudit({ entriesMax: 50, since: now }, 7)));
    const { entries, total } = await store.reads.audit(1_000)
    const of = (start: string) => entries.filter(({ requestId }) => requestId?.startsWith(start)).length
    expect(['lasting', 'refused', 'nobody', 'few', 'many'].map(of)).toEqual([1, 1, 1, 20, 28])
    expect(entries.find(({ requestId }) => requestId?.startsWith('many'))?.requestId).toBe('many59')
    expect(total).toBe(entries.length)
    await store.commit((session) => session.pruneAudit({ entriesMax: 50, since: now + 1 }, 100))
    expect((await store.reads.audit(1_000)).total).toBe(1)
  })
}
