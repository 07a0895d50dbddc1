// The oracle: what must be true once nothing is open. It reads the chain, the database and the
// recorder, and shares no code with the engine. Each fault is a sentence; none is the verdict hoped for.
import type { Sender } from './cluster.ts'
import type { Evidence, Onchain, Row } from './evidence.ts'
import type { Payment, Traffic } from './traffic.ts'

export function judge(senders: readonly Sender[], traffic: Traffic, evidence: Evidence): readonly string[] {
  const rowTo = new Map(evidence.rows.map((row) => [row.to, row]))
  const paidTo = Map.groupBy(evidence.onchain, ({ to }) => to)
  const paid = traffic.payments.flatMap((payment) => {
    const to = payment.to.toLowerCase()
    return paidAsReported(payment, rowTo.get(to), paidTo.get(to) ?? [], traffic)
  })
  return [
    ...traffic.faults,
    ...lostOrInvented(traffic, evidence),
    ...paid,
    ...senders.flatMap((sender) => noncesOf(sender, evidence)),
    ...bytes(evidence),
    ...oneWriter(evidence),
    ...evidence.rows.filter(({ ends }) => ends !== 1).map(({ id, ends }) => `${id} has ${ends} terminal events`),
  ]
}

/** Each acknowledged send is stored once under its name, and no row is without a request. */
function lostOrInvented({ payments, bulkCanceled }: Traffic, { rows }: Evidence): string[] {
  const faults: string[] = []
  const byId = new Map(rows.map((row) => [row.id, row]))
  const requested = new Map(payments.map((payment) => [payment.to.toLowerCase(), payment]))
  for (const { key, ids, to, canceled } of payments) {
    if (ids.size > 1) faults.push(`${key} was answered with ${[...ids].join(' and ')}`)
    for (const id of ids) {
      if (byId.get(id)?.to !== to.toLowerCase()) faults.push(`${key} was acknowledged as ${id} and is not stored`)
      if (canceled && byId.get(id)?.canceled !== true)
        faults.push(`the DELETE of ${id} was answered and is not recorded`)
    }
  }
  for (const id of bulkCanceled) {
    if (byId.get(id)?.canceled !== true) faults.push(`a bulk cancel named ${id} and did not record it`)
  }
  const stored = new Map<string, number>()
  for (const { id, origin, to, open } of rows) {
    if (open === 1) faults.push(`${id} is open`)
    if (origin !== 'client') continue
    if (!requested.has(to ?? '')) faults.push(`${id} is stored and nobody sent it`)
    stored.set(to ?? '', (stored.get(to ?? '') ?? 0) + 1)
  }
  for (const [to, count] of stored) if (count > 1) faults.push(`${requested.get(to)?.key} is stored ${count} times`)
  return faults
}

/** On chain once where it was not canceled, at most once where it was, and as its status says. */
function paidAsReported(
  payment: Payment,
  row: Row | undefined,
  paid: readonly Onchain[],
  { bulkCanceled, unheardBulks }: Traffic,
): string[] {
  if (!row) return []
  const faults: string[] = []
  const about = `${payment.key} (${row.id}, ${row.status})`
  if (paid.length > 1) faults.push(`${about} is on chain ${paid.length} times: ${paid.map(({ hash }) => hash)}`)
  if (paid.length === 0 && !row.canceled) faults.push(`${about} is not on chain, and was not canceled`)
  const mayBeCanceled = payment.cancelRequested || bulkCanceled.has(row.id) || unheardBulks.has(payment.sender)
  if (row.canceled && !mayBeCanceled) faults.push(`${about} was canceled by nobody`)
  if (payment.tooLate && paid.length === 0)
    faults.push(`${about}: its DELETE was refused as too late, and it is not on chain`)
  const reported = row.status === 'confirmed'
  if (reported !== paid.length > 0) faults.push(`${about} is on chain ${paid.length} times`)
  return faults
}

/** Contiguous on chain, each taken by bytes of a row that says so. */
function noncesOf({ id, chain, address }: Sender, { rows, attempts, onchain }: Evidence): string[] {
  const faults: string[] = []
  const own = onchain.filter((each) => each.chain === chain && each.from === address.toLowerCase())
  const byHash = new Map(attempts.map((attempt) => [attempt.hash, attempt]))
  for (const [place, { nonce, hash }] of own.entries()) {
    if (nonce !== place) faults.push(`${id}: nonce ${nonce} is mined in place ${place}`)
    const winner = byHash.get(hash)
    if (!winner) faults.push(`${id}: nonce ${nonce} went to ${hash}, which no attempt tells`)
  }
  for (const row of rows) {
    if (row.relayer !== id || row.nonce === null || row.nonce < own.length) continue
    if (row.status !== 'canceled') faults.push(`${id}: ${row.id} ended with nonce ${row.nonce}, which is not on chain`)
  }
  return faults
}

/** Recorded before they left, and never of two transactions for one nonce. */
function bytes({ broadcasts, attempts }: Evidence): string[] {
  const faults: string[] = []
  const byHash = new Map(attempts.map((attempt) => [attempt.hash, attempt]))
  const owners = new Map<string, Set<string>>()
  for (const { hash, replica, chain, from, nonce, wasRecorded, refused } of broadcasts) {
    const attempt = byHash.get(hash)
    if (!attempt || wasRecorded === false) {
      faults.push(`${replica} let ${hash} for nonce ${nonce} go ${attempt ? 'before it was recorded' : 'unrecorded'}`)
    }
    if (refused || !attempt) continue
    const place = `${chain} ${from} ${nonce}`
    owners.set(place, (owners.get(place) ?? new Set()).add(attempt.transaction))
  }
  for (const [place, ids] of owners) {
    if (ids.size > 1) faults.push(`nonce ${place} was given to ${[...ids].join(' and ')}, and nodes had both`)
  }
  return faults
}

/** Who signs under an epoch is who began it. */
function oneWriter({ journal }: Pick<Evidence, 'journal'>): string[] {
  const owners = new Map<string, string>()
  const faults: string[] = []
  for (const { what, replica, relayer, epoch, hash } of journal) {
    const turn = `${relayer} ${epoch}`
    // The journal begins with the storm: who signs first under an epoch from before is taken for its owner.
    const owner = owners.get(turn) ?? replica
    owners.set(turn, owner)
    if (what === 'signed' && owner !== replica) {
      faults.push(`${replica} recorded ${hash} of ${relayer} under epoch ${epoch}, which is ${owner}'s`)
    }
  }
  return faults
}
