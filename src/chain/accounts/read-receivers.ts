// Finds the receivers that do not exist. A value creates them, which costs gas of its own since EIP-8037. One eth_call covers all
// of a step: its data is creation code, which runs without being stored, and the code that it would deploy is the answer.
import { type Address, lowerHex } from '../../domain/ids.ts'
import type { ReceiverRequest } from '../../domain/observation.ts'
import type { BlockNumber, Gas } from '../../domain/units.ts'
import { enoughOf } from '../../domain/witness.ts'
import type { HeadTracker, TrackedHead } from '../heads/track-head.ts'
import type { Answer, Call } from '../nodes/call.ts'
import { toHex } from '../nodes/decode.ts'
import type { Endpoints } from '../nodes/endpoints.ts'

/** The most receivers that nodes let one eth_call read. The others of the step are read with the next one. */
const receiversMax = 64
/** The receivers kept: far more than one relayer pays within the time that matters. */
const keptMax = 10_000

/**
 * Returns a word for each address that follows this code: 1 where EXTCODEHASH is 0, which means that the account does not exist
 * (EIP-1052).
 */
const code = `0x${[
  '6000', //                    p: where the next word goes
  '6025', //                 p, a: where the next address stands in this code, 37 bytes long
  '5b', //
  '60148183600c0139', //     p, a                      memory[p + 12 .. p + 32] = the address
  '81513f15', //             p, a, word                1 where its code hash is 0
  '8252', //                 p, a                      memory[p .. p + 32] = word
  '60140190602001903881', // p, a, size of this code, a     each of them moved on
  '10600457', //             p, a                      again while a < size
  '506000f3', //                                       return memory[0 .. p]
].join('')}` as const

/** The receivers that two endpoints find missing, or the only one. Without an answer there are none: the payload is sent. */
export type ReadMissing = (requests: readonly ReceiverRequest[], at: TrackedHead) => Promise<ReadonlySet<Address>>

/** `newAccount`: the gas of an account that a value creates; undefined while it is unread. */
export function readingReceivers(
  endpoints: Endpoints,
  heads: Pick<HeadTracker, 'reorgs'>,
  newAccount: () => Gas | undefined,
): ReadMissing {
  let existing = new Set<Address>()
  let reorgs = heads.reorgs()

  function keep(addresses: readonly Address[], since: number): void {
    if (since !== heads.reorgs()) return
    if (existing.size + addresses.length > keptMax) existing = new Set()
    for (const address of addresses) existing.add(address)
  }

  return async (requests, at) => {
    const extra = newAccount() ?? 0
    if (reorgs !== heads.reorgs()) existing = new Set()
    reorgs = heads.reorgs()
    const since = reorgs
    const short = requests.filter(({ gasLimit, least }) => gasLimit < least + extra)
    const wanted = [...new Set(short.map(({ to }) => lowerHex(to)))].filter((address) => !existing.has(address))
    const addresses = wanted.slice(0, receiversMax)
    if (extra === 0 || addresses.length === 0) return new Set()
    const order = endpoints.order(at.by)
    const enough = enoughOf(new Set(order.map(({ provider }) => provider)).size)
    let missing: readonly Address[] = addresses
    const answered = new Set<string>()
    for (const endpoint of order) {
      const { provider, call, ready } = endpoint
      if (answered.size >= enough || missing.length === 0) break
      if (answered.has(provider) || !endpoint.fit() || (await ready()) !== undefined) continue
      const found = missingIn(await call(existenceCall(missing, at.head.number)), missing)
      if (!found) continue
      answered.add(provider)
      const present = missing.filter((address) => !found.includes(address))
      keep(present, since)
      missing = found
    }
    return new Set(answered.size >= enough ? missing : [])
  }
}

function existenceCall(addresses: readonly Address[], block: BlockNumber): Call {
  const data = `${code}${addresses.map((address) => address.slice(2)).join('')}`
  return { method: 'eth_call', params: [{ data }, toHex(block)], shapedBy: 'service' }
}

/** Undefined unless the node returned exactly one word of 0 or 1 for each address. */
function missingIn(answer: Answer, addresses: readonly Address[]): readonly Address[] | undefined {
  if (answer.kind !== 'value' || typeof answer.value !== 'string') return undefined
  if (answer.value.length !== 2 + 64 * addresses.length || !/^0x(?:0{63}[01])+$/.test(answer.value)) return undefined
  const { value } = answer
  return addresses.filter((_, index) => value[2 + 64 * index + 63] === '1')
}
