// Refuses accounts that no relayer may have: one of two relayers, or one whose key is published.

import type { Address } from '../domain/ids.ts'
import { whyPublished } from '../domain/published-accounts.ts'
import { ConfigError, type Problem } from './report.ts'

// Two relayers on one chain never share an address: they would sign the same nonces, each for itself.
interface AddressInUse {
  /** The relayer's. */
  readonly id: string
  readonly chainId: number
  readonly address: string
}

/** To be called as soon as the signers are open: only then are addresses known. Throws ConfigError. */
export function refuseSharedAddresses(uses: readonly AddressInUse[]): void {
  const first = new Map<string, AddressInUse>()
  const problems: Problem[] = []
  for (const use of uses) {
    const sequence = `${use.chainId}:${use.address.toLowerCase()}`
    const rival = first.get(sequence)
    if (rival === undefined) first.set(sequence, use)
    else {
      problems.push({
        place: `relayer "${use.id}"`,
        message:
          `signs as ${use.address} on chain ${use.chainId}, as relayer "${rival.id}" does, and two would fight ` +
          'over its nonces; give one of them another key',
      })
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

// A relayer with a published development key works on development chains only: elsewhere anybody could spend its balance.
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
