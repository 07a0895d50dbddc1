// A pool as op-geth keeps it, which nobody but its sequencer sees: a nonce once, and a higher price in its place.
//
// Rules and words are those of op-geth's core/txpool (legacypool/list.go, validation.go) and core/error.go: a replacement
// raises the fee cap and the tip by 10 % each, and a sender's balance must cover the L1 fee, too. Simpler than there: no
// limits on size, and each transaction's cost stands alone against the balance.
import type { Hex } from 'viem'
import { costOf, type SignedTransaction } from './signed-transaction.ts'

interface PoolState {
  /** The canonical count, without preconfirmed transactions. */
  nonceOf(address: string): Promise<number>
  balanceOf(address: string): Promise<bigint>
  l1Fee(transaction: SignedTransaction): bigint
}

export interface Pool {
  /** Undefined once the pool holds it, else the refusal in geth's words. */
  add(transaction: SignedTransaction): Promise<string | undefined>
  /** In the order of their arrival; those of one sender by nonce. */
  content(): readonly SignedTransaction[]
  drop(hash: Hex): boolean
  /** Drops what the chain has passed. */
  forgetSpent(): Promise<void>
}

const priceBumpPercent = 110n
/** Base's limit for one transaction; EIP-7825 brings the same to Ethereum. */
const gasMax = 2n ** 24n

export function keepPool(state: PoolState): Pool {
  let held: readonly SignedTransaction[] = []

  async function refusalOf(transaction: SignedTransaction): Promise<string | undefined> {
    const { hash, from, nonce, gas } = transaction
    if (held.some((other) => other.hash === hash)) return 'already known'
    if (gas < 21_000n) return `intrinsic gas too low: gas ${gas}, minimum needed 21000`
    if (gas > gasMax) return `transaction gas limit too high (cap: ${gasMax}, tx: ${gas})`
    const next = await state.nonceOf(from)
    if (nonce < next) return `nonce too low: next nonce ${next}, tx nonce ${nonce}`
    const [balance, cost] = [await state.balanceOf(from), costOf(transaction) + state.l1Fee(transaction)]
    if (balance < cost) {
      return `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`
    }
    const incumbent = held.find((other) => other.from === from && other.nonce === nonce)
    return incumbent && !outbids(transaction, incumbent) ? 'replacement transaction underpriced' : undefined
  }

  return {
    add: async (transaction) => {
      const refusal = await refusalOf(transaction)
      if (refusal !== undefined) return refusal
      const { from, nonce } = transaction
      held = [...held.filter((other) => other.from !== from || other.nonce !== nonce), transaction]
      return undefined
    },
    content: () => {
      const bySender = Map.groupBy(held, ({ from }) => from)
      return [...bySender.values()].flatMap((some) => some.toSorted((one, other) => one.nonce - other.nonce))
    },
    drop: (hash) => {
      const before = held.length
      held = held.filter((other) => other.hash !== hash)
      return held.length < before
    },
    forgetSpent: async () => {
      const nonces = new Map<string, number>()
      for (const { from } of held) if (!nonces.has(from)) nonces.set(from, await state.nonceOf(from))
      held = held.filter(({ from, nonce }) => nonce >= (nonces.get(from) ?? 0))
    },
  }
}

function outbids(newcomer: SignedTransaction, incumbent: SignedTransaction): boolean {
  const raises = (now: bigint, then: bigint) => now > then && now >= (then * priceBumpPercent) / 100n
  return (
    raises(newcomer.maxFeePerGas, incumbent.maxFeePerGas) &&
    raises(newcomer.maxPriorityFeePerGas, incumbent.maxPriorityFeePerGas)
  )
}
