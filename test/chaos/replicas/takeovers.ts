// How long relayers whose owner died, froze or left were nobody's: until another replica acquired them, and until its first
// bytes of theirs reached a node. Only of faults that came alone: where the others suffer, too, it says nothing.
import type { Evidence } from './evidence.ts'
import type { Fault, FaultKind } from './faults.ts'

export interface Takeovers {
  /** Relayers that went over to another replica. */
  readonly relayers: number
  /** Milliseconds from the fault. */
  readonly acquired: Spread
  readonly sentAgain: Spread
}

interface Spread {
  readonly p50: number
  readonly p95: number
  readonly most: number
}

/** Longer than any lease and retry: what comes later has other causes. */
const withinMs = 20_000

export function takeovers(
  { journal, broadcasts, attempts, rows }: Evidence,
  faults: readonly Fault[],
): Partial<Record<FaultKind, Takeovers>> {
  const relayerOf = new Map(rows.map(({ id, relayer }) => [id, relayer]))
  const byHash = new Map(attempts.map(({ hash, transaction }) => [hash, relayerOf.get(transaction)]))
  const reported: Partial<Record<FaultKind, Takeovers>> = {}
  const alone = faults.filter((fault) => faults.every((other) => other === fault || isApart(fault, other)))
  for (const [kind, ofKind] of Map.groupBy(alone, (fault) => fault.kind)) {
    const acquired: number[] = []
    const sentAgain: number[] = []
    for (const { replica, from } of ofKind) {
      for (const relayer of ownedBy(replica, from)) {
        const taken = journal.find((e) => e.what === 'acquired' && e.relayer === relayer && isNext(e, replica, from))
        if (!taken) continue
        acquired.push(taken.at - from)
        const sent = broadcasts.find((e) => byHash.get(e.hash) === relayer && isNext(e, replica, from))
        if (sent) sentAgain.push(sent.at - from)
      }
    }
    if (acquired.length === 0) continue
    reported[kind] = { relayers: acquired.length, acquired: spread(acquired), sentAgain: spread(sentAgain) }
  }
  return reported

  function ownedBy(replica: string | undefined, at: number): readonly string[] {
    const owners = new Map<string, string>()
    for (const entry of journal) if (entry.at < at) owners.set(entry.relayer, entry.replica)
    return [...owners].flatMap(([relayer, owner]) => (owner === replica ? [relayer] : []))
  }
}

function isNext(one: { at: number; replica: string }, replica: string | undefined, from: number): boolean {
  return one.replica !== replica && one.at >= from && one.at < from + withinMs
}

/** Nothing else befell anybody from a moment before until a takeover was due. */
function isApart(fault: Fault, other: Fault): boolean {
  return other.to < fault.from - 1_000 || other.from > fault.from + 6_000
}

function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p95: at(0.95), most: at(1) }
}
