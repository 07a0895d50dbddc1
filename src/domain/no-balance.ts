// Policies that keep a part of the balance, on a chain without a native token, such as Tempo: its nodes return one huge number as the
// balance of every account. It is no balance, so nothing can be kept of it, and nothing is ever short.
import type { Policies } from './policy-table.ts'
import { isNoBalance, noBalanceText } from './shown-amount.ts'
import type { Wei } from './units.ts'

/** The refusal of a policy that keeps a part of the balance, for the policies' place. Undefined: there is a balance, or nothing is kept. */
export function refusalOfKept(
  { minBalance, cancelReserve = 0n }: Pick<Policies, 'minBalance' | 'cancelReserve'>,
  balance: Wei,
): string | undefined {
  if (!isNoBalance(balance) || !keepsBalance({ minBalance, cancelReserve })) return undefined
  return `${minBalance > 0n ? 'min_balance' : 'cancel_reserve'}: ${noBalanceText}, so nothing can be kept of it; remove the policy`
}

export function keepsBalance({
  minBalance,
  cancelReserve = 0n,
}: Pick<Policies, 'minBalance' | 'cancelReserve'>): boolean {
  return minBalance > 0n || cancelReserve > 0n
}
