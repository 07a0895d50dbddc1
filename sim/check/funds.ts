// Checks the balance whenever a transaction gets a nonce: it covers that transaction beside those in flight and the reserve, and is not
// below min_balance. A balance that somebody else has moved may be unread yet.
import type { Policies } from '../../src/domain/policy-table.ts'
import { compareWei } from '../../src/domain/units.ts'
import { accountAt, ancestorAt, type Block, type Blocks } from '../chain/blocks.ts'
import { gasCostOf, type ReserveRules } from '../chain/reserve.ts'
import { type ChainKind, l1PriceAt } from '../chain/sequencer.ts'
import { l1FeeOf, type SimTransaction } from '../chain/transaction.ts'

export interface Binding {
  readonly name: string
  /** The policies in force when it was recorded. */
  readonly rules: Policies
  /** The head that the engine decided at. */
  readonly atBlock: number
  readonly from: string
  /** The sweep that empties the account, if this is one. */
  readonly swept?: SimTransaction
  /** Every attempt of the transactions that have a nonce and are not mined in the service's view. */
  readonly promised: readonly SimTransaction[]
}

export interface Funds {
  bound(binding: Binding): void
  /** A foreign transaction or a theft may have moved the balance of this address until this block. */
  moved(address: string, by: number): void
}

/** The engine remembers a balance for so long, and subtracts the spending that it observes (`src/chain/accounts/account-memory.ts`). */
const remembered = { blocks: 64, seconds: 120 }
/** Costs count some blocks late where a node returns receipts late. */
const reckonedBlocks = 3
const noOpGas = 21_000n
/** The bytes of a no-op, at least. */
const noOpBytes = 100n
/** The price of data on L1 may be as of so many blocks ago: 16 by the node, and the 2 s for which it is kept, in blocks of 200 ms. */
const l1ReadBlocks = 26

/** `isCountedEarly`: a node may count transactions as spent while they wait in pools. */
export function watchFunds(
  blocks: Blocks,
  kind: ChainKind,
  reserve: ReserveRules | undefined,
  { fail, isCountedEarly }: { readonly fail: (what: string) => void; readonly isCountedEarly: boolean },
): Funds {
  /** The last block in which somebody else moved the balance, by address. */
  const movedBy = new Map<string, number>()

  function isMovedBalanceRemembered(address: string, at: Block, head: Block): boolean {
    const by = movedBy.get(address)
    if (by === undefined) return false
    const moved = ancestorAt(head, by)
    if (!moved || at.number <= by + remembered.blocks) return true
    return at.timestampSeconds <= moved.timestampSeconds + remembered.seconds
  }

  /** The least reserve: two no-ops at twice the base fee. */
  function reserveOf(
    { cancelReserve, eip1559Pricing }: Policies,
    { baseFee, nextBaseFee }: Block,
    l1Price: bigint,
  ): bigint {
    const least = baseFee < nextBaseFee ? baseFee : nextBaseFee
    return cancelReserve ?? 2n * (noOpGas * least * (eip1559Pricing ? 2n : 1n) + noOpBytes * l1Price)
  }

  /** The prices of a byte on L1 from where the engine may have read one, at a node that is behind or a while ago, up to the head. */
  function l1PricesAround(head: Block, atBlock: number): readonly bigint[] {
    const heights = Array.from({ length: head.number - atBlock + l1ReadBlocks + 1 }, (_, ago) => head.number - ago)
    const read = heights.flatMap((number) => (number < 0 ? [] : [l1PriceAt({ number }, kind)]))
    return read.toSorted(compareWei)
  }

  /** A sweep leaves twice its own cost. Only the price of data on L1 may differ by now. */
  function demandSwept(name: string, swept: SimTransaction, known: readonly bigint[]): void {
    const kept = 2n * gasCostOf(swept)
    const left = known.map((balance) => balance - swept.value)
    if (left.some((each) => (kind.hasL1Fee ? each >= kept : each === kept))) return
    fail(`${name} sweeps ${swept.value} wei of ${known[0]}, and should keep ${kept} for its gas`)
  }

  return {
    bound({ name, rules, atBlock, from, swept, promised }) {
      const head = blocks.canonical()
      const at = ancestorAt(head, atBlock)
      if (!at || isMovedBalanceRemembered(from, at, head)) return
      // A node that lags behind the settled nonces reports an old balance, and the service cannot notice.
      if (Math.min(...promised.map(({ nonce }) => nonce)) > accountAt(at, from).nonce) return
      const before = Array.from({ length: reckonedBlocks + 1 }, (_, ago) => ancestorAt(head, atBlock - ago))
      const known = before.map((block) => (block ? accountAt(block, from).balance : 0n))
      if (swept) {
        demandSwept(name, swept, known)
        return
      }
      const { minBalance } = rules
      if (known.every((balance) => balance < minBalance)) {
        fail(`${name} got a nonce at a balance of ${known[0]}, and min_balance is ${minBalance}`)
      }
      // Later mined transactions cost at most their cap, so the rest of the balance only grows, but for the fee on L1, which has none.
      const { nonce, balance } = accountAt(head, from)
      const prices = l1PricesAround(head, atBlock)
      const [l1Price = 0n, l1PriceMost = l1Price] = [prices[0], prices.at(-1)]
      const most = new Map<number, bigint>()
      let dearer = 0n
      for (const each of promised) {
        const l1Fee = l1FeeOf(each, l1Price)
        const cost = upfrontCost(each) + l1Fee
        if (each.nonce >= nonce && cost > (most.get(each.nonce) ?? 0n)) most.set(each.nonce, cost)
        else if (each.nonce < nonce) dearer += l1FeeOf(each, l1PriceMost) - l1Fee
      }
      const sum = [...most.values()].reduce((total, cost) => total + cost, 0n)
      const kept = reserveOf(rules, at, l1Price)
      // What a lie counts as spent keeps nothing of the balance.
      if (!isCountedEarly && balance + dearer < sum + kept) {
        fail(`${name} got a nonce at a balance of ${balance}, with ${sum} in flight and ${kept} to be kept back`)
      }
      const gas = gasOf(promised.filter((each) => each.nonce >= nonce))
      // A single transaction may pay more.
      if (reserve && gas.size > 1 && total(gas) > reserve.reserve) {
        fail(
          `${name} got a nonce with gas of ${total(gas)} wei in flight, and the chain's reserve is ${reserve.reserve}`,
        )
      }
    },
    moved(address, by) {
      movedBy.set(address, Math.max(by, movedBy.get(address) ?? -1))
    },
  }
}

/** By nonce: the most that the gas of an attempt costs. */
function gasOf(promised: readonly SimTransaction[]): ReadonlyMap<number, bigint> {
  const most = new Map<number, bigint>()
  for (const each of promised) {
    const cost = gasCostOf(each)
    if (cost > (most.get(each.nonce) ?? 0n)) most.set(each.nonce, cost)
  }
  return most
}

function total(costs: ReadonlyMap<number, bigint>): bigint {
  return [...costs.values()].reduce((sum, cost) => sum + cost, 0n)
}

/** What a pool wants the balance to cover. */
function upfrontCost({ value, gasLimit, cap }: SimTransaction): bigint {
  return value + BigInt(gasLimit) * cap
}
