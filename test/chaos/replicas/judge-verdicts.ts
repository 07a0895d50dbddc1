// The verdicts of a replica, compared with the chain.
import { request } from 'undici'
import { apiKey } from './cluster.ts'
import type { AttemptRow, Evidence, Onchain, Row } from './evidence.ts'

export interface Verdict {
  readonly state: string
  readonly final: boolean
}

/** What the chain shows of a canceled transaction, beside its reported verdict. */
export function falseVerdict(
  row: Row,
  reported: Verdict,
  { onchain, attempts, broadcasts }: Pick<Evidence, 'onchain' | 'attempts' | 'broadcasts'>,
): string | undefined {
  const own = new Map(attempts.filter(({ transaction }) => transaction === row.id).map((each) => [each.hash, each]))
  const winner = onchain.find(({ hash }) => own.has(hash))
  const seen = seenAs(
    winner,
    own,
    broadcasts.some(({ hash, refused }) => own.has(hash) && !refused),
  )
  if (reported.final && reported.state === seen) return undefined
  return `${row.id} is reported as ${reported.state}${reported.final ? '' : ', not final'}, and the chain shows ${seen}`
}

function seenAs(winner: Onchain | undefined, own: ReadonlyMap<string, AttemptRow>, reached: boolean): string {
  if (!winner) return reached ? 'that somebody else took its nonce' : 'dropped'
  const isNoOp = winner.to === winner.from && winner.value === 0n
  const kind = own.get(winner.hash)?.kind
  if (isNoOp !== (kind === 'cancel')) return `a ${kind} attempt that is ${isNoOp ? 'a' : 'no'} no-op`
  return isNoOp ? 'won' : 'lost'
}

/** Every answered DELETE has a verdict that agrees with the chain. Reads it from one of `urls`. */
export async function falseVerdicts(
  urls: readonly string[],
  evidence: Evidence,
): Promise<{ readonly faults: readonly string[]; readonly states: Readonly<Record<string, number>> }> {
  const faults: string[] = []
  const states: Record<string, number> = {}
  for (const [place, row] of evidence.rows.filter(({ canceled }) => canceled).entries()) {
    const url = urls[place % urls.length]
    const reported = await verdictAt(`${url}/api/v1/relayers/${row.relayer}/transactions/${row.id}/cancellation`)
    states[reported.state] = (states[reported.state] ?? 0) + 1
    const fault = falseVerdict(row, reported, evidence)
    if (fault !== undefined) faults.push(fault)
  }
  return { faults, states }
}

async function verdictAt(url: string): Promise<Verdict> {
  try {
    const { body } = await request(url, { headers: { authorization: `Bearer ${apiKey}` } })
    return ((await body.json()) as { data: Verdict }).data
  } catch (error) {
    return { state: `nothing (${(error as Error).message})`, final: false }
  }
}
