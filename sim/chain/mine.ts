// Sealing a block: executes transactions against the accounts, and sets the next base fee.
import { type Account, accountAt, type Block, type Blocks, type Included } from './blocks.ts'
import { brokenContract } from './failing-estimates.ts'
import { type GasRules, gasOf } from './gas-rules.ts'
import { gasAt, othersTipsIn } from './others.ts'
import { effectivePrice } from './profiles.ts'
import { goesAlone, mayHold, type ReserveRules, touchesReserve } from './reserve.ts'
import { l1FeeOf, type SimTransaction } from './transaction.ts'

/** A contract whose calls revert while `revertsNow` says so. */
export const flakyContract = '0x00000000000000000000000000000000000bad00'

export interface Sealing {
  readonly parent: Block
  /** Deposits of the relayers' accounts, which come first. Their nonces are those of their accounts. */
  readonly deposits: readonly SimTransaction[]
  /** In order. Transactions that the accounts cannot execute are left out. */
  readonly candidates: Iterable<SimTransaction>
  readonly transactionsMax: number
  readonly revertsNow: boolean
  /**
   * In eighths of an eighth: from -8 to 8, how far the base fee moves (EIP-1559 allows an eighth either way). Others fill
   * the block so far that it does.
   */
  readonly drift: number
  /** Transactions with a lower tip are left out, in wei. */
  readonly tipMin: bigint
  /** Others outbid what tips less than any of theirs, where the block is full. */
  readonly isContested: boolean
  readonly timestampSeconds: number
  /** Gas that each transaction pays for its data on L1, beside its own gas. */
  readonly l1Gas: number
  /** The price of each byte on L1, beside gas, in wei. Absent: the chain charges none. */
  readonly l1Price?: bigint
  /** The gas rules that this block follows. */
  readonly gasRules: GasRules
  /** Absent: the chain executes a block as it orders it. */
  readonly reserve?: ReserveRules
  /** Balances that something outside moved. */
  readonly balances: ReadonlyMap<string, bigint>
}

export function seal(blocks: Blocks, sealing: Sealing): Block {
  const { parent } = sealing
  const baseFee = parent.nextBaseFee
  const accounts = new Map(parent.accounts)
  for (const [address, balance] of sealing.balances) accounts.set(address, { ...accountAt(parent, address), balance })
  const others = sealing.drift === -8 ? [] : othersTipsIn(parent.number + 1, sealing.tipMin)
  const outbid = sealing.isContested && sealing.drift === 8 ? others[0] : undefined
  const tipMin = outbid ?? sealing.tipMin
  const included: Included[] = sealing.deposits.map((deposit) => depositInto(accounts, deposit))
  const most = sealing.transactionsMax + included.length
  for (const transaction of sealing.candidates) {
    if (included.length >= most) break
    if (tipMin > 0n && effectivePrice(transaction, baseFee) - baseFee < tipMin) continue
    const done = execute(accounts, included, transaction, baseFee, sealing)
    if (done) included.push(done)
  }
  const oursGas = included.reduce((sum, { gasUsed }) => sum + gasUsed, 0)
  return blocks.seal({
    parent,
    timestampSeconds: sealing.timestampSeconds,
    baseFee,
    nextBaseFee: nextBaseFee(baseFee, sealing.drift),
    included,
    othersTips: others,
    gasUsed: Math.max(oursGas, gasAt(sealing.drift)),
    reverts: sealing.revertsNow,
    accounts,
  })
}

function depositInto(accounts: Map<string, Account>, deposit: SimTransaction): Included {
  const { nonce, balance } = accounts.get(deposit.from) ?? { nonce: 0, balance: 0n }
  accounts.set(deposit.from, { nonce: nonce + 1, balance })
  return { transaction: { ...deposit, nonce }, succeeded: true, gasUsed: 0, price: 0n }
}

/** Upwards at least by 1, and where it is 0 it stays so: a chain that charges for nothing. */
function nextBaseFee(baseFee: bigint, drift: number): bigint {
  if (baseFee === 0n) return 0n
  const change = (baseFee * BigInt(drift)) / 64n
  const moved = baseFee + (drift > 0 && change === 0n ? 1n : change)
  return moved < 7n ? 7n : moved
}

function failsAt(to: string, revertsNow: boolean): boolean {
  return to === brokenContract || (revertsNow && to === flakyContract)
}

function execute(
  accounts: Map<string, Account>,
  ahead: readonly Included[],
  transaction: SimTransaction,
  baseFee: bigint,
  sealing: Sealing,
): Included | undefined {
  const { revertsNow, l1Gas, l1Price, gasRules, reserve } = sealing
  if (reserve) return executeLater(accounts, ahead, transaction, baseFee, sealing, reserve)
  const { from, to, nonce, value, gasLimit, cap } = transaction
  const account = accounts.get(from) ?? { nonce: 0, balance: 0n }
  const l1Fee = l1FeeOf(transaction, l1Price ?? 0n)
  const needed = gasOf(transaction, gasRules) + l1Gas
  // A pool may have taken it before a fork.
  if (gasRules && gasLimit < needed) return undefined
  if (account.nonce !== nonce || cap < baseFee || account.balance < value + BigInt(gasLimit) * cap + l1Fee)
    return undefined
  const succeeded = !failsAt(to, revertsNow)
  const gasUsed = Math.min(gasLimit, needed)
  const price = effectivePrice(transaction, baseFee)
  const spent = BigInt(gasUsed) * price + l1Fee + (succeeded && to !== from ? value : 0n)
  accounts.set(from, { nonce: nonce + 1, balance: account.balance - spent })
  return { transaction, succeeded, gasUsed, price, ...(l1Price !== undefined && { l1Fee }) }
}

/** Where the limit is charged, and a value that touches the reserve reverts. */
function executeLater(
  accounts: Map<string, Account>,
  ahead: readonly Included[],
  transaction: SimTransaction,
  baseFee: bigint,
  { parent, revertsNow, gasRules }: Sealing,
  reserve: ReserveRules,
): Included | undefined {
  const { from, to, nonce, value, gasLimit, cap } = transaction
  const account = accounts.get(from) ?? { nonce: 0, balance: 0n }
  const price = effectivePrice(transaction, baseFee)
  const gasCost = BigInt(gasLimit) * price
  if (account.nonce !== nonce || cap < baseFee || gasLimit < gasOf(transaction, gasRules)) return undefined
  // Something outside took the balance.
  if (account.balance < gasCost || !mayHold(parent, ahead, transaction, reserve)) return undefined
  const isAlone = goesAlone(parent, ahead, from, reserve)
  const touchedReserve = touchesReserve(transaction, account, gasCost, isAlone, reserve)
  const succeeded = !touchedReserve && !failsAt(to, revertsNow)
  const spent = gasCost + (succeeded && to !== from ? value : 0n)
  accounts.set(from, { nonce: nonce + 1, balance: account.balance - spent })
  return { transaction, succeeded, gasUsed: gasLimit, price, ...(touchedReserve && { touchedReserve }) }
}
