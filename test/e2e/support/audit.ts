// Everything a relayer ever took, held against the chain: the invariants of a relayer, whatever the test was about.
import { expect } from 'vitest'
import type { AttemptTable, TransactionTable } from '../../../src/store/schema.ts'
import { type Mined, minedFrom, same } from '../../../tooling/ledger.ts'
import { mineUntil } from './play.ts'
import type { OutboxRow } from './rows.ts'
import type { AnyStage, Sender } from './stage.ts'

/**
 * Mines until nothing is open, and then expects: each payload on chain at most once, and exactly when the status says
 * so; each verdict as the chain shows it, at the cost of the receipt; every nonce accounted for; one terminal event
 * each. `foreignCount`: how many nonces the test spent behind the service's back. Resolves with the mined transactions.
 */
export async function audit(stage: AnyStage, sender: Sender, foreignCount = 0): Promise<readonly Mined[]> {
  const { node, rows } = stage
  const read = () => rows.transactionsOf(sender.id)
  await mineUntil(stage, `${sender.id} to have nothing open`, () => read().every(({ open }) => open === 0))

  const mined = await minedFrom(node, sender.address)
  // Each read is a connection of its own: of hundreds of transactions one a kind.
  const [all, signed, reported] = [read(), rows.attemptsOf(sender.id), rows.eventsOf(sender.id)]
  const attempts = Map.groupBy(signed, ({ transaction_id: id }) => id)
  const events = Map.groupBy(reported, ({ transaction_id: id }) => id)
  for (const row of all) {
    await holdAgainst(
      stage,
      sender,
      { row, attempts: attempts.get(row.id) ?? [], events: events.get(row.id) ?? [] },
      mined,
    )
  }
  const spentByUs = all.flatMap(({ nonce, included_kind: kind }) => (kind === null ? [] : [nonce]))
  expect(new Set(spentByUs).size, 'two transactions say that they took the same nonce').toBe(spentByUs.length)
  const ownHashes = new Set<string>(signed.map(({ hash }) => hash))
  expect(mined.filter(({ hash }) => !ownHashes.has(hash)).length, 'nonces spent by foreign transactions').toBe(
    foreignCount,
  )
  return mined
}

interface Kept {
  readonly row: TransactionTable
  readonly attempts: readonly AttemptTable[]
  readonly events: readonly OutboxRow[]
}

async function holdAgainst(
  { client }: AnyStage,
  sender: Sender,
  { row, attempts, events }: Kept,
  mined: readonly Mined[],
): Promise<void> {
  const about = `${row.id}, ${row.status} (${row.wait_facts ?? row.status_reason ?? ''})`
  const payloads: readonly string[] = attempts.filter(({ kind }) => kind !== 'cancel').map(({ hash }) => hash)
  const executed = mined.filter(({ hash }) => payloads.includes(hash))
  const ran =
    row.status === 'confirmed' ||
    (row.status === 'failed' && row.included_kind !== 'cancel' && row.included_hash !== null)
  expect(executed.length, `${about}: times its payload is on chain`).toBe(ran ? 1 : 0)
  if (ran) {
    expect(executed[0]?.hash, `${about}: the mined hash`).toBe(row.included_hash)
    expect(executed[0]?.succeeded, `${about}: its receipt`).toBe(row.status === 'confirmed')
  }
  if (row.origin === 'client' && row.to_address !== null) {
    const paid = mined.filter(({ to }) => same(to, row.to_address ?? '') && !same(to, sender.address))
    expect(paid.length, `${about}: payments to its recipient`).toBe(ran ? 1 : 0)
  }
  expect(events.filter(({ terminal }) => terminal === 1).length, `${about}: terminal events`).toBe(1)
  if (row.canceled_at === null) return

  const reported = await client.cancellation(sender.id, row.id)
  expect(reported.final, `${about}: its verdict`).toBe(true)
  const winner = mined.find(({ hash }) => hash === reported.winner?.hash)
  const noOp = attempts.find(({ hash, kind }) => kind === 'cancel' && hash === winner?.hash)
  const seen = ran ? 'lost' : noOp ? 'won' : winner ? 'external' : 'dropped'
  expect(reported.state, `${about}: the verdict that the chain shows`).toBe(seen)
  expect(reported.safe_to_retry, `${about}: safe_to_retry`).toBe(!ran)
  expect(reported.cost, `${about}: the cost by the receipt`).toBe(String(noOp ? (winner?.fee ?? -1n) : 0n))
  if (noOp) {
    expect(winner, `${about}: its no-op`).toMatchObject({ value: 0n, input: '0x', nonce: row.nonce, succeeded: true })
    expect(winner && same(winner.to, sender.address), `${about}: its no-op goes to the relayer itself`).toBe(true)
  }
}
