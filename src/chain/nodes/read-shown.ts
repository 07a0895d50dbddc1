// Reads what a chain shows of itself: how it is made, where neither its id nor its tags say so, as rollups have contracts of their make
// at fixed addresses and gateways mask the name of the client; and how a chain of Arbitrum's orders transactions.
import type { Hex } from '../../domain/ids.ts'
import type { ShownMake } from '../../domain/network-profiles.ts'
import { enoughOf } from '../../domain/witness.ts'
import type { Answer, SendCall } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { revertReason } from './revert-reason.ts'

interface Sign {
  readonly make: Exclude<ShownMake, 'none'>
  /** Addresses that all have code. */
  readonly at: readonly Hex[]
}

/** A precompile (docs.arbitrum.io). */
const arbOwnerPublic: Hex = '0x000000000000000000000000000000000000006b'

const signs: readonly Sign[] = [
  // GasPriceOracle, a predeploy (specs.optimism.io).
  { make: 'opStack', at: ['0x420000000000000000000000000000000000000f'] },
  // With ArbSys, another precompile.
  { make: 'nitro', at: ['0x0000000000000000000000000000000000000064', arbOwnerPublic] },
  // ContractDeployer, a system contract (docs.zksync.io).
  { make: 'zkStack', at: ['0x0000000000000000000000000000000000008006'] },
]

/** How the chain is made. Undefined while too few endpoints have answered, or where they differ. Never rejects. */
export function readMake(endpoints: readonly Endpoint[], providers: number): Promise<ShownMake | undefined> {
  return shownAlike(endpoints, providers, makeBy)
}

/** Whether the chain orders transactions by their tips. Undefined as `readMake` is. Never rejects. */
export function readCollectsTips(endpoints: readonly Endpoint[], providers: number): Promise<boolean | undefined> {
  return shownAlike(endpoints, providers, collectsTipsBy)
}

/** The value that two providers show alike, or the only one: one false answer would change how a chain is treated. */
async function shownAlike<T>(
  endpoints: readonly Endpoint[],
  providers: number,
  read: (call: SendCall) => Promise<T | undefined>,
): Promise<T | undefined> {
  const enough = enoughOf(providers)
  const shown = new Map<string, T>()
  for (const { provider, call, ready } of endpoints) {
    if (shown.size >= enough) break
    if (shown.has(provider) || (await ready()) !== undefined) continue
    const value = await read(call)
    if (value !== undefined) shown.set(provider, value)
  }
  const values = new Set(shown.values())
  const [value] = values
  return shown.size >= enough && values.size === 1 ? value : undefined
}

/** The make that one node shows. Undefined where it does not answer. */
export async function makeBy(call: SendCall): Promise<ShownMake | undefined> {
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

/** `getCollectTips()`. */
const collectTips = { to: arbOwnerPublic, data: '0x8e34a64d' }

/** A revert: an ArbOS that has no such function, and orders as transactions come. */
async function collectsTipsBy(call: SendCall): Promise<boolean | undefined> {
  const answer = await call({ method: 'eth_call', params: [collectTips, 'latest'] })
  if (answer.kind !== 'value') return revertReason(answer) === undefined ? undefined : false
  if (typeof answer.value !== 'string' || !/^0x0{63}[01]$/.test(answer.value)) return undefined
  return answer.value.endsWith('1')
}
