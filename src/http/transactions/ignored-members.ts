// Members that clients of other relayers send, and that have no effect there either. They pass: a moved client goes on, and reads in
// `metadata.logs` what its members are worth. Any other unknown member is refused, as it could be a limit that was misspelled.
import { Type } from 'typebox'
import type { ApiKeyId } from '../../domain/ids.ts'
import type { BelievedSender } from '../../domain/submit.ts'
import type { Logger } from '../../ops/logger.ts'
import { memberOf } from '../../ops/member.ts'
import { loggedMembersMax } from '../limits.ts'
import { parseAddress } from '../request/parse-values.ts'
import { unlisted } from '../request/stated.ts'
import { invalid } from '../request/validate.ts'

const anything = () => Type.Optional(Type.Unknown(unlisted()))

/** Members without effect in the body of a send. */
export const ignoredMembers = {
  gasLimit: anything(),
  gas: anything(),
  from: anything(),
  chainId: anything(),
  chain_id: anything(),
}

type IgnoredMember = keyof typeof ignoredMembers

const meanings: Readonly<Record<IgnoredMember, string>> = {
  gasLimit: 'has no effect; the member is called gas_limit',
  gas: 'has no effect; the member is called gas_limit',
  from: 'has no effect: it is the address of the relayer',
  chainId: 'has no effect: it is the chain of the relayer',
  chain_id: 'has no effect: it is the chain of the relayer',
}

const names: readonly string[] = Object.keys(ignoredMembers)

function isIgnored(name: string): name is IgnoredMember {
  return names.includes(name)
}

/** The ignored members of one body. */
export function ignoredIn(body: object): readonly IgnoredMember[] {
  return Object.keys(body).filter(isIgnored)
}

/** The address and the chain that the client believes in; undefined where it names neither. Throws INVALID_REQUEST. */
export function believedSender(body: object): BelievedSender | undefined {
  const from = memberOf(body, 'from')
  const chains = (['chainId', 'chain_id'] as const).flatMap((name) => {
    const value = memberOf(body, name)
    return value === undefined ? [] : [{ name, chainId: chainIdOf(name, value) }]
  })
  if (from === undefined && chains.length === 0) return undefined
  return { chains, ...(from !== undefined && { from: addressOf(from) }) }
}

function addressOf(value: unknown) {
  const isAddress = typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
  if (!isAddress) throw invalid('from', value, 'an address: 0x and 40 hex digits; leave it out')
  return parseAddress('from', `0x${value.slice(2)}`)
}

function chainIdOf(name: string, value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value)) return BigInt(value)
  throw invalid(name, value, 'the id of a chain; leave it out')
}

/** The lines of `metadata.logs`: one for each member, however many of the bodies have it. */
export function explainIgnored(bodies: readonly object[]): readonly string[] {
  const counts = new Map<IgnoredMember, number>()
  for (const name of bodies.flatMap(ignoredIn)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => {
    const within = bodies.length > 1 ? ` (in ${count} of ${bodies.length} transactions)` : ''
    return `${name}: ${meanings[name]}${within}`
  })
}

/** Logs each member once for each API key, so that an operator finds the clients that send it. */
export type LogIgnored = (keyId: ApiKeyId | undefined, bodies: readonly object[]) => void

export function loggingIgnored(logger: Logger): LogIgnored {
  const logged = new Set<string>()
  return (keyId, bodies) => {
    for (const name of new Set(bodies.flatMap(ignoredIn))) {
      const mark = `${keyId} ${name}`
      if (logged.has(mark) || logged.size >= loggedMembersMax) continue
      logged.add(mark)
      logger.warn({ key_id: keyId, member: name }, `a send has a member that ${meanings[name]}`)
    }
  }
}
