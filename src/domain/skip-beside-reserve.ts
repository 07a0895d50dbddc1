// The policy skip_unfunded on a network with a reserve (Monad): refused where either is configured. A value that leaves less than the reserve
// waits until the account has sent nothing for some blocks. If later transactions passed it, the account would never be that quiet.
import type { Policies } from './policy-table.ts'
import type { NetworkProfile } from './profile.ts'

/** The refusal of the combination, for the policy's place. Undefined: it may be configured. */
export function refusalOfSkipping(
  { skipUnfunded }: Pick<Policies, 'skipUnfunded'>,
  network: { readonly name: string; readonly profile: Pick<NetworkProfile, 'reserveBalance'> },
): string | undefined {
  const { reserveBalance } = network.profile
  if (!skipUnfunded || reserveBalance === undefined) return undefined
  return `is true, and network "${network.name}" has a reserve_balance (${reserveBalance} wei): later transactions would pass one that has to go alone, so that it waits for ever; remove the policy, or set it to false`
}
