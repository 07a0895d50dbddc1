// What an account has and whether it delegates. One call tells it of many accounts: whoever has to ask, asks for those
// beside it of which the same is not known, so that they need not.
import type { Address } from '../../domain/ids.ts'
import type { BlockNumber } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { HeadTracker } from '../heads/track-head.ts'
import type { Answer } from '../nodes/call.ts'
import { toBigInt, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type AccountMemory, usableBalance, usableCode } from './account-memory.ts'
import { jointCall, jointMax, type Standing, standingsIn } from './joint-call.ts'

export interface Lacking {
  readonly balance: boolean
  readonly code: boolean
}

/**
 * Puts into the memory what one call told of this account and others, or returns what was told of this one alone.
 * `lacking` says what is still not known of it. What no node told is missing.
 */
export type ReadStanding = (
  endpoint: Endpoint,
  address: Address,
  block: BlockNumber,
  lacking: () => Lacking,
) => Promise<Partial<Standing>>

/** EIP-7702: what stands as the code of an account that delegates. */
const delegationPrefix = '0xef0100'
/** A gateway may refuse for a reason of the moment: it is asked for many again after a while. */
const refusalHoldsMs = 300_000
/** So often in a row it may leave many unanswered before it is asked for each alone. */
const silencesMax = 2

interface Joint {
  readonly covers: ReadonlySet<Address>
  readonly came: Promise<Came>
}

type Came = 'answered' | 'refused' | 'silent'

export function readingStandings(memory: AccountMemory, heads: HeadTracker, clock: Clock): ReadStanding {
  const joints = new Map<Endpoint, readonly Joint[]>()
  const aloneUntil = new Map<Endpoint, number>()
  const silences = new Map<Endpoint, number>()

  function readAlone(endpoint: Endpoint): void {
    aloneUntil.set(endpoint, clock.elapsed() + refusalHoldsMs)
  }

  /** Undefined where one call for many saves nothing. */
  function together(endpoint: Endpoint, address: Address, block: BlockNumber, lacking: Lacking): Joint | undefined {
    if (clock.elapsed() < (aloneUntil.get(endpoint) ?? Number.NEGATIVE_INFINITY)) return undefined
    const underWay = joints.get(endpoint) ?? []
    const covering = underWay.find(({ covers }) => covers.has(address))
    if (covering) return covering
    // Of a block that others have left behind it would hide from them what they have seen to be paid since.
    const others = block === heads.height() ? neighboursLacking(memory, block) : []
    const isFree = (other: Address) => other !== address && !underWay.some(({ covers }) => covers.has(other))
    const addresses = [address, ...others.filter(isFree).slice(0, jointMax - 1)]
    if (addresses.length === 1 && !(lacking.balance && lacking.code)) return undefined
    const came = readTogether(endpoint, addresses, block).finally(() => {
      joints.set(endpoint, joints.get(endpoint)?.filter((each) => each !== joint) ?? [])
    })
    const joint = { covers: new Set(addresses), came }
    joints.set(endpoint, [...underWay, joint])
    return joint
  }

  async function readTogether(endpoint: Endpoint, addresses: readonly Address[], block: BlockNumber): Promise<Came> {
    const before = addresses.map(memory.recall)
    const answer = await endpoint.call(jointCall(addresses, block))
    const standings = standingsIn(answer, addresses)
    if (!standings) {
      if (answer.kind === 'value' || answer.kind === 'rpcError') return 'refused'
      const inRow = (silences.get(endpoint) ?? 0) + 1
      silences.set(endpoint, inRow)
      if (inRow >= silencesMax) readAlone(endpoint)
      return 'silent'
    }
    silences.delete(endpoint)
    for (const [index, address] of addresses.entries()) {
      const standing = standings[index]
      const last = memory.recall(address)
      // Who has looked at it since knows better.
      if (!standing || last !== before[index]) continue
      const balance = { wei: standing.balance, readAt: block, chargedBelow: 0 }
      memory.keep(address, {
        shared: false,
        ...last,
        balance,
        code: { delegated: standing.delegated, readAt: block },
      })
    }
    return 'answered'
  }

  return async (endpoint, address, block, lacking) => {
    const came = await together(endpoint, address, block, lacking())?.came
    // Where nothing of it is answered the next endpoint is asked, and the sooner the better.
    if (came === 'silent' && !endpoint.fit()) return {}
    // Another's call may have been of a block that does not do for this one.
    const standing = await alone(endpoint, address, block, lacking())
    // A node that has not got the block refuses either way.
    if (came === 'refused' && (standing.balance ?? standing.delegated) !== undefined) readAlone(endpoint)
    return standing
  }
}

/** Of whom the balance or the code is not known, those without a balance first. */
function neighboursLacking(memory: AccountMemory, block: BlockNumber): readonly Address[] {
  const unread: Address[] = []
  const unsure: Address[] = []
  for (const [address, remembered] of memory.all()) {
    if (usableBalance('recent', remembered, block) === undefined) unread.push(address)
    else if (!usableCode(remembered, block)) unsure.push(address)
  }
  return [...unread, ...unsure]
}

async function alone(
  endpoint: Endpoint,
  address: Address,
  block: BlockNumber,
  lacking: Lacking,
): Promise<Partial<Standing>> {
  const params = [address, toHex(block)]
  const [wei, code] = await Promise.all([
    lacking.balance ? endpoint.call({ method: 'eth_getBalance', params }) : undefined,
    lacking.code ? endpoint.call({ method: 'eth_getCode', params }) : undefined,
  ])
  const balance = wei?.kind === 'value' ? toBigInt(wei.value) : undefined
  const delegated = code && delegationIn(code)
  return { ...(balance !== undefined && { balance }), ...(delegated !== undefined && { delegated }) }
}

function delegationIn(answer: Answer): boolean | undefined {
  if (answer.kind !== 'value' || typeof answer.value !== 'string') return undefined
  return answer.value.toLowerCase().startsWith(delegationPrefix)
}
