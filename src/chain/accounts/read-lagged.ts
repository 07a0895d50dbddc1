// Reads the account as of some blocks before the head, where the chain counts its balance from then (Monad). A node may have no state
// so old: then the readings of this process have to suffice, once they are old enough.
import type { Address } from '../../domain/ids.ts'
import type { Observation } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { toBigInt, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type Endpoints, firstFitAnswer } from '../nodes/endpoints.ts'
import { readNonce } from '../nodes/read-nonce.ts'

type Lagged = NonNullable<Observation['lagged']>

export interface LaggedAccounts {
  /** Undefined where no endpoint has that state, and no reading is old enough. `now`: the account at the head. */
  read(address: Address, at: TrackedHead, now: Partial<Lagged>): Promise<Lagged | undefined>
}

/** The most accounts: with more, all begin again. */
const accountsMax = 10_000

export function readingLagged(endpoints: Pick<Endpoints, 'order'>, lagBlocks: number): LaggedAccounts {
  /** Readings by address, oldest first: the newest that is old enough, and those after it. */
  const own = new Map<Address, readonly (Lagged & { readonly block: BlockNumber })[]>()

  function note(address: Address, block: BlockNumber, { balance, nonce }: Partial<Lagged>): Lagged | undefined {
    if (own.size >= accountsMax && !own.has(address)) own.clear()
    // After a reorganization the later ones are of another branch.
    const before = (own.get(address) ?? []).filter((each) => each.block < block)
    const readings = balance === undefined || nonce === undefined ? before : [...before, { block, balance, nonce }]
    const old = readings.findLastIndex((each) => each.block <= block - lagBlocks)
    own.set(address, readings.slice(Math.max(0, old)))
    return readings[old]
  }

  return {
    async read(address, at, now) {
      const { number } = at.head
      const known = note(address, number, now)
      const block = Math.max(0, number - lagBlocks)
      const read = await firstFitAnswer(endpoints.order(at.by), (endpoint) => readAt(endpoint, address, block))
      return read ?? (known && { balance: known.balance, nonce: known.nonce })
    },
  }
}

async function readAt(endpoint: Endpoint, address: Address, block: BlockNumber): Promise<Lagged | undefined> {
  const [answer, nonce] = await Promise.all([
    endpoint.call({ method: 'eth_getBalance', params: [address, toHex(block)] }),
    readNonce(endpoint, address, block),
  ])
  const balance = answer.kind === 'value' ? toBigInt(answer.value) : undefined
  return balance === undefined || nonce === undefined ? undefined : { balance, nonce }
}
