// What a client sends: a payload that is told from all others by its number, and what it asks for it.
import { type Pricing, speeds } from '../src/domain/fees.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import { moodyContract } from './chain/mine.ts'
import { taggedData } from './chain/transaction.ts'
import { epochMs } from './process/engine.ts'
import type { World } from './world.ts'

export const receiver = '0x00000000000000000000000000000000000c0de1'
/**
 * Above what the API knows to be too low, and below what the chain wants. With an access list it is too low for the API,
 * too.
 */
const tooLittleGas = 21_300
/** What all of them call. */
export const payloadSelector = taggedData(0).slice(0, 10)

export function drawPayload(world: World): { tag: number; request: SendRequest } {
  const { dice, clients, scenario, state, timeline } = world
  const tag = clients.nextTag
  clients.nextTag += 1
  const moody = dice.chance(0.15)
  const gasLimit = dice.weighted({ estimated: 4, enough: 4, tooLittle: scenario.invalidPayloads })
  const request: SendRequest = {
    to: moody ? moodyContract : receiver,
    value: scenario.fees.isFree ? 0n : BigInt(dice.below(1_000)),
    data: taggedData(tag),
    pricing: drawPricing(world),
    ...(tag % 4 === 1 && { accessList: [{ address: moodyContract, storageKeys: [`0x${'0'.repeat(64)}`] }] }),
    ...(gasLimit !== 'estimated' && {
      gasLimit: gasLimit === 'enough' ? (scenario.kind.hasL1Gas ? 200_000 : 30_000) : tooLittleGas,
    }),
    ...(dice.chance(0.1) && {
      validUntil: Math.floor(epochMs + timeline.now() + state.skewMs + dice.between(1, 10) * scenario.blocktimeMs),
    }),
  }
  clients.requests.set(tag, request)
  return { tag, request }
}

function drawPricing({ dice, state, blocks, scenario, policyDice }: World): Pricing {
  const kind = dice.weighted({ speed: 8, eip1559: 1, legacy: 1 })
  const cap = blocks.canonical().nextBaseFee * BigInt(dice.pick([1, 2, 3]))
  const { gasPriceCap } = state.policies
  // Some do not know of the cap, and are refused.
  const knows = !scenario.operator || policyDice.chance(0.7)
  const limited = knows && gasPriceCap !== undefined && cap > gasPriceCap ? gasPriceCap : cap
  if (kind === 'eip1559')
    return { kind, maxFeePerGas: limited, maxPriorityFeePerGas: limited < 1_500_001n ? limited : 1_500_001n }
  if (kind === 'legacy') return { kind, gasPrice: limited }
  return { kind, speed: dice.pick(speeds) }
}
