// Reads balances at the latest head, for display: simultaneous reads share one call.
import type { Address } from '../../domain/ids.ts'
import type { Wei } from '../../domain/units.ts'
import { describeAnswer } from '../nodes/call.ts'
import { toBigInt } from '../nodes/decode.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { type BalanceAndCode, balancesAndCodesIn, jointCall, jointMax } from './joint-call.ts'

interface Waiting {
  readonly address: Address
  done(balance: Wei): void
  failed(error: unknown): void
}

/** Rejects with ChainUnavailable when no endpoint returns it. */
export function readingBalances(endpoints: Endpoints): (address: Address) => Promise<Wei> {
  let waiting: Waiting[] = []

  async function alone(address: Address): Promise<Wei> {
    const { value } = await endpoints.firstAnswer(async (endpoint) => {
      const answer = await endpoint.call({ method: 'eth_getBalance', params: [address, 'latest'] })
      const wei = answer.kind === 'value' ? toBigInt(answer.value) : undefined
      return wei === undefined ? { failed: describeAnswer(answer) } : { value: wei }
    })
    return value
  }

  /** Undefined where a node refuses the joint call: then each balance is read alone. */
  async function joint(addresses: readonly Address[]): Promise<readonly BalanceAndCode[] | undefined> {
    const { value } = await endpoints.firstAnswer<{ standings?: readonly BalanceAndCode[] }>(async (endpoint) => {
      const answer = await endpoint.call(jointCall(addresses, 'latest'))
      const standings = balancesAndCodesIn(answer, addresses)
      if (standings) return { value: { standings } }
      return answer.kind === 'value' || answer.kind === 'rpcError' ? { value: {} } : { failed: describeAnswer(answer) }
    })
    return value.standings
  }

  async function readFrom(together: readonly Waiting[]): Promise<void> {
    try {
      const standings = together.length > 1 ? await joint(together.map(({ address }) => address)) : undefined
      for (const [index, { address, done, failed }] of together.entries()) {
        const standing = standings?.[index]
        if (standing) done(standing.balance)
        else alone(address).then(done, failed)
      }
    } catch (error) {
      for (const { failed } of together) failed(error)
    }
  }

  return (address) =>
    new Promise((done, failed) => {
      waiting.push({ address, done, failed })
      if (waiting.length > 1) return
      queueMicrotask(() => {
        const all = waiting
        waiting = []
        for (let from = 0; from < all.length; from += jointMax) void readFrom(all.slice(from, from + jointMax))
      })
    })
}
