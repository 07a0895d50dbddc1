// The verdicts on a relayer's canceled transactions, by nonce: a page of nonces has a hundred of them.
import type { CancellationView, Client } from '../client/client.ts'

/** A nonce at or below every open one, or the one that comes next. Undefined where it can't be read: no cancellation depends on it. */
export async function firstNonce(client: Client, relayer: string): Promise<number | undefined> {
  try {
    const [first] = await client.nonces(relayer)
    return first?.transaction.nonce ?? 0
  } catch {
    return undefined
  }
}

interface ByNonce {
  readonly nonce: number
  readonly verdict: CancellationView
}

/** Of every nonce from `from` on, lowest first; without it, from a few below the lowest open one on. */
export async function verdictsFrom(client: Client, relayer: string, from?: number): Promise<readonly ByNonce[]> {
  const all: ByNonce[] = []
  for (let next = from; ; ) {
    const page = await client.nonces(relayer, next === undefined ? {} : { from: next })
    for (const { transaction, cancellation } of page) {
      const { nonce } = transaction
      if (nonce === undefined) continue
      next = nonce + 1
      if (cancellation) all.push({ nonce, verdict: cancellation })
    }
    if (page.length < pageSize) return all
  }
}

/** As the API has it: a page with fewer is the last. */
const pageSize = 100
