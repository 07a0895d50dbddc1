// Two relayers on one chain never share an address: they would sign the same nonces, each for itself.
import { ConfigError, type Problem } from './config-error.ts'

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
