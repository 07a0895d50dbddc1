// Pages by number and by `before` are the rows in their order, after any sequence of writes, and tallies are counts of the rows.
import fc from 'fast-check'
import { expect } from 'vitest'
import { cancel } from '../../src/domain/cancel.ts'
import type { RelayerId, TransactionId } from '../../src/domain/ids.ts'
import { statuses } from '../../src/domain/transaction.ts'
import { openAuditPad } from '../../src/store/access/audit-log.ts'
import type { ListPosition } from '../../src/store/list-port.ts'
import { sessionOver } from '../../src/store/session.ts'
import type { Executor } from '../../src/store/statement.ts'
import { openTallies } from '../../src/store/transactions/counted/tallies.ts'
import { listItems } from '../../src/store/transactions/found/list-transactions.ts'
import { now, queued, someBulk, someRelayer } from '../domain/some.ts'
import { allOf, freshId } from './contract.ts'

const perPage = 3

const anyWrite = fc.record({
  do: fc.constantFrom('send', 'send', 'send', 'cancel', 'fail', 'bulk', 'remove', 'undo'),
  /** Sequences are left out by sends that failed, and by rows that were removed. */
  gap: fc.constantFrom(1, 1, 2, 40_000),
  which: fc.nat({ max: 40 }),
})

interface Database {
  readonly executor: Executor
  query<Row>(sql: string): Promise<readonly Row[]>
}

export async function comparePages({ executor, query }: Database): Promise<void> {
  let relayers = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyWrite, { minLength: 10, maxLength: 60 }), async (writes) => {
      relayers += 1
      const relayerId = `pages-${relayers}` as RelayerId
      const tallies = openTallies(executor)
      const session = sessionOver(executor, tallies, openAuditPad(executor))
      await session.saveRelayer(
        someRelayer({ id: relayerId, address: `0x${relayers.toString(16).padStart(40, '0')}` as never }),
      )
      const ids: TransactionId[] = []
      let sequence = 0

      async function write({ do: what, gap, which }: (typeof writes)[number]): Promise<void> {
        if (what === 'send') {
          sequence += gap
          const id = freshId()
          ids.push(id)
          return session.insertTransaction(queued(sequence, { id, relayerId }))
        }
        if (what === 'bulk') return void (await session.cancelPending(relayerId, now, someBulk()))
        const id = ids[which % Math.max(1, ids.length)]
        if (id === undefined) return
        if (what === 'remove') return void (await session.removeEnded(relayerId, ids.slice(which % ids.length)))
        const before = await session.transaction(relayerId, id)
        if (before?.lifecycle.phase !== 'queued') return
        const refused = { ...before, lifecycle: { phase: 'dropped', reason: 'refused', droppedAt: now } as const }
        await session.saveTransaction(before, what === 'fail' ? refused : cancel(before, now), now)
      }

      for (const each of writes) {
        if (each.do === 'undo') {
          tallies.count(relayerId, 'pending', 1)
          tallies.forget()
          continue
        }
        await write(each)
        tallies.keep()
        // Several units share a commit.
        if (each.which % 2 === 0) await tallies.write()
      }
      await tallies.write()

      expect(await query(talliesOf(relayerId))).toEqual(await query(countsOf(relayerId)))
      for (const status of [undefined, ...statuses]) {
        const expected = (await query<{ id: string }>(rowsOf(relayerId, status))).map(({ id }) => id)
        const list = (page: number, before?: ListPosition) =>
          listItems(executor, relayerId, status ? { status } : {}, { page, perPage, ...(before && { before }) })
        for (let from = 0, before: ListPosition | undefined; ; from += perPage) {
          const byNumber = await list(1 + from / perPage)
          const byPosition = before || from === 0 ? await list(1, before) : undefined
          const shown = expected.slice(from, from + perPage)
          expect((await allOf(byNumber.items)).map(({ id }) => id)).toEqual(shown)
          expect(byNumber.total).toBe(expected.length)
          if (byPosition) expect((await allOf(byPosition.items)).map(({ id }) => id)).toEqual(shown)
          expect(byNumber.next).toEqual(byPosition?.next)
          before = byNumber.next
          expect(before !== undefined).toBe(from + perPage < expected.length)
          if (!before) break
        }
      }
    }),
    { numRuns: 25 },
  )
}

const rowsOf = (relayer: string, status?: string) =>
  `SELECT id FROM transactions WHERE relayer_id = '${relayer}' ${status ? `AND status = '${status}'` : ''} ORDER BY sequence DESC`
const talliesOf = (relayer: string) =>
  `SELECT status, count FROM tallies WHERE relayer_id = '${relayer}' AND count <> 0 AND status <> 'bytes' ORDER BY status`
const countsOf = (relayer: string) =>
  `SELECT status, COUNT(*) AS count FROM transactions WHERE relayer_id = '${relayer}' GROUP BY status ORDER BY status`
