// Foreign uses of a relayer's key: nonces of its account that none of our attempts spent, found after the fact by the confirmed count.
import type { HeldCondition } from './condition.ts'
import type { Hash } from './ids.ts'
import type { Acknowledgment, ShownHeld } from './owner-report.ts'
import type { BlockNumber, Nonce, TimestampMs } from './units.ts'

/** A run of nonces that foreign transactions spent. */
export interface ForeignUse {
  readonly first: Nonce
  readonly last: Nonce
  /** The transaction that spent the first nonce. Absent: no node shows it. */
  readonly spender?: ForeignSpender
  readonly foundAt: TimestampMs
  /** The first look of an owner found it: a database that was restored may have lost transactions of ours. */
  readonly mayBeLost: boolean
  /** Absent until an operator has acknowledged it. */
  readonly acknowledged?: Acknowledgment
}

/** An authorization (EIP-7702) spends a nonce in a transaction of another account, which is then the one with this hash. */
interface ForeignSpender {
  readonly hash: Hash
  readonly block: BlockNumber
}

/** What the record says of a nonce. */
export type OnRecord =
  /** Ours spent it; `final`: for good. */
  | { readonly by: 'ours'; readonly nonce: Nonce; readonly isFinal: boolean }
  /** Ours holds it, and no confirmed block shows the spender. */
  | { readonly by: 'undecided'; readonly nonce: Nonce }
  | { readonly by: 'foreign'; readonly nonce: Nonce; readonly spender: ForeignSpender }

/** The nonces of a look. */
interface Looked {
  /** Every nonce below was looked at before. */
  readonly from: Nonce
  /** The confirmed count. */
  readonly below: Nonce
  /** The record of these nonces. A nonce without a record is a foreign one. */
  readonly record: readonly OnRecord[]
  /** The foreign uses that are recorded. */
  readonly known: readonly Pick<ForeignUse, 'first' | 'last'>[]
}

/** A run of foreign nonces that no entry has yet. Absent `spender`: the record does not show the first one's. */
export type FoundRun = Pick<ForeignUse, 'first' | 'last' | 'spender'>

/** The foreign nonces that no entry has yet, as runs, lowest first. */
export function foreignRuns({ from, below, record, known }: Looked): readonly FoundRun[] {
  const recorded = new Map(record.map((each) => [each.nonce, each]))
  const runs: FoundRun[] = []
  for (let nonce = from; nonce < below; nonce += 1) {
    const row = recorded.get(nonce)
    if ((row && row.by !== 'foreign') || isIn(known, nonce)) continue
    const before = runs.at(-1)
    if (before?.last === nonce - 1) runs[runs.length - 1] = { ...before, last: nonce }
    else runs.push({ first: nonce, last: nonce, ...(row && { spender: row.spender }) })
  }
  return runs
}

/**
 * The first nonce that a later look has to look at: ours that a reorganization may still give to a foreign transaction, or one without
 * an entry.
 */
export function lookedBelow({ from, below, record, known }: Looked): Nonce {
  const settled = new Set(record.flatMap((each) => (each.by === 'ours' && each.isFinal ? [each.nonce] : [])))
  let nonce = from
  while (nonce < below && (settled.has(nonce) || isIn(known, nonce))) nonce += 1
  return nonce
}

function isIn(uses: Looked['known'], nonce: Nonce): boolean {
  return uses.some(({ first, last }) => first <= nonce && nonce <= last)
}

export const foreignUse = 'foreign_use' satisfies HeldCondition

/** The conditions with the one of the foreign uses that nobody has acknowledged, as of now. The last report may be older than both. */
export function withForeignUse(conditions: readonly ShownHeld[], uses: readonly ForeignUse[]): readonly ShownHeld[] {
  const others = conditions.filter(({ condition }) => condition !== foreignUse)
  const since = uses.map(({ foundAt }) => foundAt)
  if (uses.length === 0) return others
  return [{ condition: foreignUse, since: Math.min(...since), text: uses.map(foreignUseInWords).join('; ') }, ...others]
}

export function foreignUseInWords({ first, last, spender, mayBeLost }: ForeignUse): string {
  const nonces = first === last ? `nonce ${first} was` : `nonces ${first} to ${last} were`
  const user = mayBeLost
    ? 'another user of the key, or by transactions of a history that this database lost'
    : 'another user of the key'
  const shown = spender && `, ${first === last ? '' : 'the first '}by ${spender.hash} in block ${spender.block}`
  return `${nonces} used by ${user}${shown ?? ''}`
}
