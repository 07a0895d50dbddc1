// Decides when a spender counts whose bytes can't be rebuilt, such as a rollup's system transaction or one whose
// signature the node omits. One answer of one endpoint is no proof of it: another endpoint has to show the same
// transaction in the same block. Where there is no other, or none answers for long, three readings count.
import { isAddressEqual } from 'viem/utils'
import { aloneAfterMs } from '../../domain/second-witness.ts'
import type { BlockRef } from '../../domain/transaction.ts'
import type { Clock } from '../../ops/clock.ts'
import { valueIn } from '../nodes/ask-about.ts'
import type { Mined } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Endpoints, othersThan } from '../nodes/endpoints.ts'
import { readBody } from '../nodes/read-block.ts'
import { measureSilence, type Silence } from '../nodes/silence.ts'

interface SpenderClaim {
  readonly mined: Mined
  readonly block: BlockRef
}

/** Whether the claim of `endpoint` counts now. */
export type Corroborate = (endpoint: Endpoint, claim: SpenderClaim) => Promise<boolean>

/** Readings closer together may come from the same fault. A gateway's mistake mostly ends within seconds. */
const spacingMs = 10_000
const readingsMin = 3
/** The most claims: with more, all readings are forgotten and start again. */
const claimsMax = 1_000

interface Readings {
  readonly silence: Silence
  readonly lastAt: number
  readonly count: number
}

export function corroborating(endpoints: Endpoints, clock: Clock): Corroborate {
  const claims = new Map<string, Readings>()

  function readAgain(key: string): Readings {
    const now = clock.elapsed()
    const last = claims.get(key)
    const silence = last?.silence ?? measureSilence(clock)
    silence.note(true)
    if (last && now - last.lastAt < spacingMs) return last
    const readings = { silence, lastAt: now, count: (last?.count ?? 0) + 1 }
    if (claims.size >= claimsMax) claims.clear()
    claims.set(key, readings)
    return readings
  }

  return async (endpoint, claim) => {
    const { mined, block } = claim
    const key = `${endpoint.index} ${mined.from} ${mined.nonce} ${mined.hash} ${block.hash}`
    const others = othersThan(endpoint, endpoints)
    const views = await Promise.all(others.map((other) => viewOf(other, claim)))
    if (views.includes('same')) return true
    if (views.includes('other')) {
      claims.delete(key)
      return false
    }
    const { silence, count } = readAgain(key)
    return count >= readingsMin && (others.length === 0 || silence.ms() >= aloneAfterMs)
  }
}

/** `other`: it has the block, and another transaction or none in the place. `silent`: it does not show the block. */
async function viewOf(endpoint: Endpoint, { mined, block }: SpenderClaim): Promise<'same' | 'other' | 'silent'> {
  if ((await endpoint.ready()) !== undefined) return 'silent'
  const seeks = { account: mined.from, from: mined.nonce, through: mined.nonce }
  const body = valueIn(await readBody(endpoint, block.number, seeks))
  if (body?.head.hash !== block.hash) return 'silent'
  const isSame = [...body.transactions, ...body.unread].some(
    ({ hash, from = mined.from, nonce = mined.nonce }) =>
      hash === mined.hash && nonce === mined.nonce && isAddressEqual(from, mined.from),
  )
  return isSame ? 'same' : body.unread.length > 0 ? 'silent' : 'other'
}
