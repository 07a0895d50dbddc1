// A chain that orders blocks before it executes them (Monad), as docs.monad.xyz describes it: which transactions a block may hold, and
// which of them revert.
import { minWei } from '../../src/domain/units.ts'
import { type Account, accountAt, ancestorAt, type Block, type Included } from './blocks.ts'
import type { SimTransaction } from './transaction.ts'

export interface ReserveRules {
  readonly reserve: bigint
  readonly lagBlocks: number
}

/** A transaction of the sender, in a block that the counted balance does not include. Lists have the oldest first. */
interface Recent {
  readonly number: number
  readonly transaction: SimTransaction
}

export function gasCostOf({ gasLimit, cap }: Pick<SimTransaction, 'gasLimit' | 'cap'>): bigint {
  return BigInt(gasLimit) * cap
}

/** The account that pays for what the child of `head` holds. */
export function laggedAccount(head: Block, address: string, { lagBlocks }: ReserveRules): Account {
  return accountAt(ancestorAt(head, Math.max(0, head.number + 1 - lagBlocks)) ?? head, address)
}

/** `ahead`: what the child of `parent` already holds. */
function recentOf(parent: Block, ahead: readonly Included[], from: string, blocks: number): readonly Recent[] {
  const found: Recent[] = []
  let at: Block | undefined = parent
  for (let left = blocks; left > 0 && at; left -= 1) {
    const { number, included } = at
    found.unshift(
      ...included.flatMap(({ transaction }) => (transaction.from === from ? [{ number, transaction }] : [])),
    )
    at = at.parent
  }
  const number = parent.number + 1
  return [...found, ...ahead.flatMap(({ transaction }) => (transaction.from === from ? [{ number, transaction }] : []))]
}

/** No other transaction of the sender is in the last blocks, so that this one may empty the account. */
export function goesAlone(parent: Block, ahead: readonly Included[], from: string, rules: ReserveRules): boolean {
  return recentOf(parent, ahead, from, rules.lagBlocks - 1).length === 0
}

/** The child of `parent` may hold it: its gas is paid whatever the blocks before it execute. */
export function mayHold(
  parent: Block,
  ahead: readonly Included[],
  transaction: SimTransaction,
  rules: ReserveRules,
): boolean {
  const { from } = transaction
  const { balance } = laggedAccount(parent, from, rules)
  const recent = recentOf(parent, ahead, from, rules.lagBlocks - 1)
  const [first, ...others] = recent
  if (!first) return gasCostOf(transaction) <= balance
  const before = ancestorAt(parent, first.number - 1) ?? parent
  const isEmptying = first.number <= parent.number && goesAlone(before, [], from, rules)
  const isFirstHere = first.number > parent.number
  const sum = [...others.map((each) => each.transaction), transaction].reduce((all, each) => all + gasCostOf(each), 0n)
  const ofFirst = gasCostOf(first.transaction)
  if (isEmptying || isFirstHere) return sum <= minWei(rules.reserve, balance - ofFirst - first.transaction.value)
  return sum + ofFirst <= minWei(rules.reserve, balance)
}

/** It reverts: its value touches the reserve, or exceeds the balance. */
export function touchesReserve(
  { value, from, to }: SimTransaction,
  { balance }: Account,
  gasCost: bigint,
  isAlone: boolean,
  { reserve }: ReserveRules,
): boolean {
  if (value === 0n || from === to) return false
  if (value + gasCost > balance) return true
  return !isAlone && value > (balance > reserve ? balance - reserve : 0n)
}
