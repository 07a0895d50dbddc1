// Reads from a chain how it is made, where neither its id nor its tags say so: rollups have contracts of their make at fixed
// addresses, and gateways mask the name of the client.
import type { Hex } from '../../domain/ids.ts'
import type { ShownMake } from '../../domain/network-profiles.ts'
import type { Answer, SendCall } from './call.ts'
import type { Endpoint } from './endpoint.ts'

interface Sign {
  readonly make: Exclude<ShownMake, 'none'>
  /** All of them have code. */
  readonly at: readonly Hex[]
}

const signs: readonly Sign[] = [
  // GasPriceOracle, a predeploy (specs.optimism.io).
  { make: 'opStack', at: ['0x420000000000000000000000000000000000000f'] },
  // ArbSys and ArbOwnerPublic, precompiles (docs.arbitrum.io).
  {
    make: 'nitro',
    at: ['0x0000000000000000000000000000000000000064', '0x000000000000000000000000000000000000006b'],
  },
  // ContractDeployer, a system contract (docs.zksync.io).
  { make: 'zkStack', at: ['0x0000000000000000000000000000000000008006'] },
]

/**
 * What two providers show alike, or the only one: false signs would change how a chain is treated for good. Undefined while too few
 * have answered, or where they differ. Never rejects.
 */
export async function readMake(endpoints: readonly Endpoint[], providers: number): Promise<ShownMake | undefined> {
  const shown = new Map<string, ShownMake>()
  for (const endpoint of endpoints) {
    const isRead = shown.has(endpoint.provider) || (await endpoint.ready()) !== undefined
    const make = isRead ? undefined : await shownBy(endpoint.call)
    if (make !== undefined) shown.set(endpoint.provider, make)
    if (shown.size >= Math.min(2, providers)) break
  }
  const makes = new Set(shown.values())
  const [make] = makes
  return shown.size >= Math.min(2, providers) && makes.size === 1 ? make : undefined
}

/** What one node shows. Undefined where it does not answer. */
export async function shownBy(call: SendCall): Promise<ShownMake | undefined> {
  const read = async (address: Hex) => hasCode(await call({ method: 'eth_getCode', params: [address, 'latest'] }))
  const found = await Promise.all(signs.map(async ({ make, at }) => ({ make, codes: await Promise.all(at.map(read)) })))
  if (found.some(({ codes }) => codes.includes(undefined))) return undefined
  const made = found.filter(({ codes }) => codes.every((code) => code === true))
  const [first] = made
  return made.length === 1 && first ? first.make : 'none'
}

function hasCode(answer: Answer): boolean | undefined {
  if (answer.kind !== 'value' || typeof answer.value !== 'string') return undefined
  return answer.value !== '0x'
}
