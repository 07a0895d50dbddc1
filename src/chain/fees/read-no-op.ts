// Reads what a no-op costs on chains that do not state it: its gas, and the fee for its data on L1. Each is read for a
// network, not for an account.
import type { Address, Hash } from '../../domain/ids.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { BlockNumber, Gas, Wei } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { type Call, describeAnswer } from '../nodes/call.ts'
import { toBigInt, toNumber } from '../nodes/decode.ts'
import type { Endpoints, ReadResult } from '../nodes/endpoints.ts'
import { readEstimate } from './estimate-gas.ts'

/** The members of a market. Absent where the profile has none, and where no node returns one. */
export interface NoOpFacts {
  readonly noOpGas?: Gas
  readonly noOpL1Fee?: Wei
  /** The least that pays for a transaction without data, where the price depends on the data. */
  readonly leastTip?: Wei
}

/** `isTooTight`: a node called a no-op invalid, so an estimate from an earlier block does not count. */
export type ReadNoOp = (at: TrackedHead, address: Address, isTooTight: boolean) => Promise<NoOpFacts>

/** Blocks for which an estimate of gas stands. */
const gasKeptBlocks = 20

/** A predeploy of the OP stack (specs, "GasPriceOracle"). */
const oracle = '0x420000000000000000000000000000000000000F'
/**
 * A signed no-op has 110 bytes with every number at its widest use here. `getL1FeeUpperBound(uint256)` takes the size
 * without the signature, which the contract adds.
 */
const upperBoundCall = `0xf1c7a58b${(110).toString(16).padStart(64, '0')}`
/** `getL1Fee(bytes)`, for chains before Fjord: 110 bytes that are not 0 cost the most. */
const feeCall = `0x49948e0e${word(32)}${word(110)}${'ff'.repeat(110).padEnd(256, '0')}`

export function readingNoOp(
  endpoints: Endpoints,
  profile: Pick<NetworkProfile, 'noOpGas' | 'l1Fee' | 'priceSource'>,
): ReadNoOp {
  const gas = profile.noOpGas === 'estimated' ? readingGas(endpoints) : undefined
  const l1Fee = profile.l1Fee === 'op_stack' ? readingL1Fee(endpoints) : undefined
  const tip = profile.priceSource === 'linea_estimate_gas' ? readingTip(endpoints) : undefined
  return async (at, address, isTooTight) => {
    const [noOpGas, noOpL1Fee, leastTip] = await Promise.all([
      gas?.(at, address, isTooTight),
      l1Fee?.(at),
      tip?.(at, address),
    ])
    return {
      ...(noOpGas !== undefined && { noOpGas }),
      ...(noOpL1Fee !== undefined && { noOpL1Fee }),
      ...(leastTip !== undefined && { leastTip }),
    }
  }
}

function readingGas(endpoints: Endpoints) {
  let last: { readonly gas: Gas; readonly readAt: BlockNumber } | undefined
  const onceAHead = readOnceAHead<Gas>()
  return async (at: TrackedHead, address: Address, isTooTight: boolean): Promise<Gas | undefined> => {
    const { number } = at.head
    const age = last ? number - last.readAt : Number.POSITIVE_INFINITY
    if (last && age >= 0 && age < (isTooTight ? 1 : gasKeptBlocks)) return last.gas
    const call = { method: 'eth_estimateGas', params: [noOpOf(address)] }
    const gas = await onceAHead(at.head.hash, () => firstValue(endpoints, at, call, toNumber))
    if (gas !== undefined) last = { gas, readAt: number }
    return gas
  }
}

function readingTip(endpoints: Endpoints) {
  const onceAHead = readOnceAHead<Wei>()
  return (at: TrackedHead, address: Address): Promise<Wei | undefined> => {
    const call = { method: 'linea_estimateGas', params: [noOpOf(address)] }
    return onceAHead(at.head.hash, () => firstValue(endpoints, at, call, (value) => readEstimate(value).tip))
  }
}

function noOpOf(address: Address): object {
  return { from: address, to: address, value: '0x0', data: '0x' }
}

function readingL1Fee(endpoints: Endpoints) {
  const onceAHead = readOnceAHead<Wei>()
  const read = async (at: TrackedHead): Promise<Wei | undefined> => {
    const ofOracle = (data: string) => ({ method: 'eth_call', params: [{ to: oracle, data }, 'latest'] })
    const bound = await firstValue(endpoints, at, ofOracle(upperBoundCall), toBigInt)
    return bound ?? (await firstValue(endpoints, at, ofOracle(feeCall), toBigInt))
  }
  return (at: TrackedHead) => onceAHead(at.head.hash, () => read(at))
}

/** Simultaneous readers share one reading. A reading that failed is repeated by the next step. */
function readOnceAHead<T>() {
  let reading: { readonly head: Hash; readonly value: Promise<T | undefined> } | undefined
  return async (head: Hash, read: () => Promise<T | undefined>): Promise<T | undefined> => {
    if (reading?.head !== head) reading = { head, value: read() }
    const own = reading
    const value = await own.value
    if (value === undefined && reading === own) reading = undefined
    return value
  }
}

async function firstValue<T>(
  endpoints: Endpoints,
  at: TrackedHead,
  call: Call,
  decode: (value: unknown) => T | undefined,
): Promise<T | undefined> {
  const found = await endpoints
    .firstAnswer(async (endpoint): Promise<ReadResult<T>> => {
      const answer = await endpoint.call(call)
      const value = answer.kind === 'value' ? decode(answer.value) : undefined
      return value === undefined ? { failed: describeAnswer(answer) } : { value }
    }, at.by)
    .catch(() => undefined)
  return found?.value
}

function word(number: number): string {
  return number.toString(16).padStart(64, '0')
}
