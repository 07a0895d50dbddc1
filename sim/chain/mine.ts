// Sealing a block: executes transactions against the accounts, and sets the next base fee.
import { type Account, accountAt, type Block, type Blocks, type Included } from './blocks.ts'
import { effectivePrice } from './profiles.ts'
import { isNoOp, type SimTransaction } from './transaction.ts'

/** A contract whose calls revert while `revertsNow` says so. */
export const moodyContract = '0x00000000000000000000000000000000000bad00'

export interface Sealing {
  readonly parent: Block
  /** In order; what does not fit the accounts is left out. */
  readonly candidates: Iterable<SimTransaction>
  readonly transactionsMax: number
  readonly revertsNow: boolean
  /** In eighths of an eighth: from -8 to 8, how far the base fee moves (EIP-1559 allows an eighth either way). */
  readonly drift: number
  readonly timestampSeconds: number
  /** Balances that something outside moved. */
  readonly balances: ReadonlyMap<string, bigint>
}

export function seal(blocks: Blocks, sealing: Sealing): Block {
  const { parent } = sealing
  const baseFee = parent.nextBaseFee
  const accounts = new Map(parent.accounts)
  for (const [address, balance] of sealing.balances) accounts.set(address, { ...accountAt(parent, address), balance })
  const included: Included[] = []
  for (const transaction of sealing.candidates) {
    if (included.length >= sealing.transactionsMax) break
    const done = execute(accounts, transaction, baseFee, sealing.revertsNow)
    if (done) included.push(done)
  }
  const moved = baseFee + (baseFee * BigInt(sealing.drift)) / 64n
  return blocks.seal({
    parent,
    timestampSeconds: sealing.timestampSeconds,
    baseFee,
    nextBaseFee: moved < 7n ? 7n : moved,
    included,
    accounts,
  })
}

function execute(
  accounts: Map<string, Account>,
  transaction: SimTransaction,
  baseFee: bigint,
  revertsNow: boolean,
): Included | undefined {
  const { from, to, nonce, value, gasLimit, cap } = transaction
  const account = accounts.get(from) ?? { nonce: 0, balance: 0n }
  if (account.nonce !== nonce || cap < baseFee || account.balance < value + BigInt(gasLimit) * cap) return undefined
  const succeeded = !(revertsNow && to === moodyContract)
  const gasUsed = isNoOp(transaction) ? 21_000 : Math.min(gasLimit, 21_400)
  const price = effectivePrice(transaction, baseFee)
  const spent = BigInt(gasUsed) * price + (succeeded && to !== from ? value : 0n)
  accounts.set(from, { nonce: nonce + 1, balance: account.balance - spent })
  return { transaction, succeeded, gasUsed, price }
}
