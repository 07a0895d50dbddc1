// Compares the answers to clients with rows and chain, once nothing is open.
import { expect } from 'vitest'
import { minedFrom, nonceOf, poolOf } from '../../../tooling/ledger.ts'
import { audit } from '../../e2e/support/audit.ts'
import { mineUntil } from '../../e2e/support/play.ts'
import type { AnyStage, Sender } from '../../e2e/support/stage.ts'
import type { Traffic } from './traffic.ts'

interface Outcome {
  readonly stored: number
  readonly executed: number
  readonly noOps: number
  /** Final verdicts on cancellations, by state. */
  readonly verdicts: Readonly<Record<string, number>>
}

const answerMaxMs = 120_000

/** Mines until nothing is open. Then: nothing lost, nothing invented, nothing twice, no gap, every verdict true. */
export async function holdAll(
  stage: AnyStage,
  senders: readonly Sender[],
  traffic: Traffic,
  /** Hashes of the test's own transactions that spend nonces, mined or not. */
  foreignHashes: ReadonlySet<string> = new Set(),
): Promise<Outcome> {
  const rows = () => senders.flatMap(({ id }) => stage.rows.transactionsOf(id))
  const open = () => rows().filter((row) => row.open === 1)
  const say = () => `nothing to be open; open are ${JSON.stringify(open().slice(0, 5))}`
  await mineUntil(stage, say, () => open().length === 0, answerMaxMs)

  const all = rows()
  const byId = new Map<string, (typeof all)[number]>(all.map((row) => [row.id, row]))
  const lost = traffic.sent.filter(({ id, to }) => byId.get(id)?.to_address?.toLowerCase() !== to.toLowerCase())
  expect(lost, 'sends that were answered and are not stored').toEqual([])
  const tried = new Set([...traffic.tried].map((to) => to.toLowerCase()))
  const invented = all.filter(
    ({ origin, to_address: to }) => origin === 'client' && !tried.has(to?.toLowerCase() ?? ''),
  )
  expect(invented, 'rows that nobody sent').toEqual([])
  const forgotten = [...traffic.canceled].filter((id) => typeof byId.get(id)?.canceled_at !== 'number')
  expect(forgotten, 'DELETEs that were answered and are not recorded').toEqual([])

  const verdicts: Record<string, number> = {}
  let noOps = 0
  for (const sender of senders) {
    const external = (await minedFrom(stage.node, sender.address)).filter(({ hash }) => foreignHashes.has(hash))
    const mined = await audit(stage, sender, external.length)
    expect(
      mined.map(({ nonce }) => nonce),
      `${sender.id}: its nonces`,
    ).toEqual(mined.map((_, nonce) => nonce))
    expect(await nonceOf(stage.node, sender.address), `${sender.id}: its account`).toBe(mined.length)
    expect([...(await poolOf(stage.node, sender.address)).keys()], `${sender.id}: left in the pool`).toEqual([])
    noOps += mined.filter(({ value }) => value === 0n).length
  }
  for (const { id, relayer_id: relayer, canceled_at: canceledAt } of all) {
    if (canceledAt === null) continue
    const { state } = await stage.client.cancellation(relayer, id)
    verdicts[state] = (verdicts[state] ?? 0) + 1
  }
  const executed = all.filter(({ status }) => status === 'confirmed').length
  return { stored: all.length, executed, noOps, verdicts }
}

/** What a service must never have to say, whatever happens around it. */
export function alarmsIn(logs: string): readonly string[] {
  return logs.split('\n').filter((line) => /"level":(50|60|"error"|"fatal")|an invariant does not hold/.test(line))
}
