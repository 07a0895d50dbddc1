// A relayer with a published development key works on development chains only: elsewhere anybody could spend its balance.
import type { Address } from '../domain/ids.ts'
import { whyPublished } from '../domain/published-accounts.ts'
import { ConfigError, type Problem } from './config-error.ts'

interface AccountInUse {
  /** The relayer's. */
  readonly id: string
  readonly chainId: number
  readonly address: Address
}

/** For when the signers are open, since they have the addresses. Throws ConfigError. */
export function refusePublishedAccounts(uses: readonly AccountInUse[]): void {
  const problems = uses.flatMap(({ id, chainId, address }): Problem[] => {
    const message = whyPublished(address, chainId)
    return message === undefined ? [] : [{ place: `relayer "${id}"`, message }]
  })
  if (problems.length > 0) throw new ConfigError(problems)
}
