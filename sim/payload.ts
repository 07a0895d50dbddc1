// Draws the payload of a send, which carries its number, and its gas, prices and limits.
import { type Pricing, speeds } from '../src/domain/fees.ts'
import type { Hex } from '../src/domain/ids.ts'
import type { Labels } from '../src/domain/labels.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import { brokenContract } from './chain/failing-estimates.ts'
import { creationGas } from './chain/gas-rules.ts'
import { flakyContract } from './chain/mine.ts'
import { receiver, taggedCreation, taggedData } from './chain/transaction.ts'
import { epochMs } from './process/engine.ts'
import type { World } from './world.ts'

/** Too little for the chain, and accepted by the API, unless there is an access list. */
const tooLittleGas = 21_300
/** Likewise for a creation. */
const tooLittleToCreate = 53_300

export function drawPayload(world: World): { tag: number; request: SendRequest } {
  const { dice, clients, scenario, state, timeline } = world
  const tag = clients.nextTag
  clients.nextTag += 1
  const isFlaky = dice.chance(0.15)
  const gasLimit = dice.weighted({ estimated: 4, enough: 4, tooLittle: scenario.invalidPayloads })
  const called: SendRequest = {
    to: callsBroken(world) ? brokenContract : isFlaky ? flakyContract : receiver,
    value: drawValue(world, tag),
    data: scenario.gasFork ? padded(taggedData(tag), tag) : taggedData(tag),
    pricing: drawPricing(world),
    ...(tag % 4 === 1 && { accessList: [{ address: flakyContract, storageKeys: [`0x${'0'.repeat(64)}`] }] }),
    ...(gasLimit !== 'estimated' && {
      gasLimit: gasLimit === 'enough' ? enoughGas(world) : tooLittleGas,
    }),
    ...(dice.chance(0.1) && {
      validUntil: Math.floor(epochMs + timeline.now() + state.skewMs + dice.between(1, 10) * state.blocktimeMs),
    }),
  }
  const request = isCreation(world) ? creationOf(called, tag) : called
  clients.requests.set(tag, request)
  return { tag, request }
}

function callsBroken({ scenario: { estimates }, estimateDice }: World): boolean {
  return estimates !== undefined && estimateDice.chance(estimates.failingCalls)
}

function isCreation({ scenario: { creations }, creationDice }: World): boolean {
  return creations !== undefined && creationDice.chance(creations)
}

/** The send as one that creates a contract. A gas limit that sufficed still suffices, and one that was too low still is. */
function creationOf({ to: _, gasLimit, ...called }: SendRequest, tag: number): SendRequest {
  return {
    ...called,
    data: taggedCreation(tag),
    ...(gasLimit !== undefined && { gasLimit: gasLimit === tooLittleGas ? tooLittleToCreate : gasLimit + creationGas }),
  }
}

/** Draws from few external ids, so that most of them are taken. After a restore they are new, since it may have lost the old ones. */
export function drawLabels(world: World, relayer: number, tag: number): Labels | undefined {
  const { scenario, labelDice, labels, state } = world
  if (scenario.externalIds === undefined || labelDice.chance(0.2)) return undefined
  const externalId = `payment ${labelDice.below(scenario.externalIds)}, after ${state.restores} restores`
  labels.sent(relayer, tag, externalId)
  return { externalId, ...(labelDice.chance(0.5) && { tags: [labelDice.pick(['red', 'blue'])] as const, note: 'n' }) }
}

/** Draws the value. Where accounts need a reserve, some values would empty the account. */
function drawValue({ dice, scenario: { fees, gasFork, reserve } }: World, tag: number): bigint {
  if (fees.isFree || (gasFork && tag % 2 === 0)) return 0n
  const small = BigInt(dice.below(1_000))
  if (!reserve) return small
  return tag % 4 === 0 ? 0n : tag % 4 === 1 ? small : reserve.reserve / BigInt(tag % 4 === 2 ? 100 : 20)
}

/** Data that takes 22,308 gas or so before a fork, and 27,912 after it. */
function padded(data: Hex, tag: number): Hex {
  return tag % 3 === 0 ? `${data}${'00'.repeat(100)}` : data
}

/** Draws a gas limit that suffices. Where gas rules change, some suffice only before or after the fork. */
function enoughGas({ dice, scenario: { kind, gasFork } }: World): number {
  return kind.hasL1Gas ? 200_000 : gasFork ? dice.pick([30_000, 24_000]) : 30_000
}

function drawPricing({ dice, state, blocks, scenario, policyDice }: World): Pricing {
  const kind = dice.weighted({ speed: 8, eip1559: 1, legacy: 1 })
  const cap = blocks.canonical().nextBaseFee * BigInt(dice.pick([1, 2, 3]))
  const { gasPriceCap } = state.policies
  // Some clients ignore the cap, and are rejected.
  const knows = !scenario.operator || policyDice.chance(0.7)
  const limited = knows && gasPriceCap !== undefined && cap > gasPriceCap ? gasPriceCap : cap
  if (kind === 'eip1559')
    return { kind, maxFeePerGas: limited, maxPriorityFeePerGas: limited < 1_500_001n ? limited : 1_500_001n }
  if (kind === 'legacy') return { kind, gasPrice: limited }
  return { kind, speed: dice.pick(speeds) }
}
