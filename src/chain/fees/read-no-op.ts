// Reads what a no-op costs on chains that do not state it: its gas, and the fee for its data on L1. Each is read for a
// network, not for an account.

import { transferGas } from '../../domain/gas-figures.ts'
import type { Address } from '../../domain/ids.ts'
import { isKept, type Moment, type Patience } from '../../domain/patience.ts'
import type { NetworkProfile } from '../../domain/profile.ts'
import type { BlockNumber, Gas, Wei } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { askProviders, isAlike, type MiddleFigure, middleFigure } from '../nodes/ask-providers.ts'
import type { Call } from '../nodes/call.ts'
import { toNumber } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { revertReason } from '../nodes/revert-reason.ts'
import { estimateWithin, readEstimate } from './estimate-gas.ts'
import { firstValue, readOnceAHead } from './first-value.ts'
import { codeless } from './read-gas-figures.ts'
import { readingL1Fee } from './read-l1-fee.ts'

/** The members of a market. Absent where the profile has none, and where no node returns one. */
export interface NoOpFacts {
  readonly noOpGas?: Gas
  readonly noOpL1Fee?: Wei
  readonly l1FeePerByte?: Wei
  /** The least that pays for a transaction without data, where the price depends on the data. */
  readonly leastTip?: Wei
}

/** `isTooTight`: every node that answers called a no-op invalid, so an estimate from an earlier block does not count. */
export type ReadNoOp = (at: TrackedHead, address: Address, isTooTight: boolean) => Promise<NoOpFacts>

/** How long an estimate of gas stands, and after nodes called a no-op invalid. */
const gasKept: Patience = { blocks: 20, ms: 40_000 }
const tightGasKept: Patience = { blocks: 1, ms: 0 }

export function readingNoOp(
  endpoints: Endpoints,
  profile: Pick<NetworkProfile, 'noOpGas' | 'floorGas' | 'l1Fee' | 'l1FeeOracle' | 'priceSource'>,
  most: () => Gas | undefined,
  elapsed: () => number,
): ReadNoOp {
  // With less every node refuses it on one side of a fork, so an estimate below is of no use.
  const gas = readingGas(endpoints, profile.floorGas || profile.l1Fee === 'in_gas' ? transferGas : 0, most, elapsed)
  const l1Fee = profile.l1Fee === 'op_stack' ? readingL1Fee(endpoints, elapsed, profile.l1FeeOracle) : undefined
  const tip = profile.priceSource === 'linea_estimate_gas' ? readingTip(endpoints) : undefined
  return async (at, address, isTooTight) => {
    // A chain may demand more than its profile says, for as long as estimates do.
    const isEstimated = profile.noOpGas === 'estimated' || isTooTight || gas.isAboveTransfer()
    const [noOpGas, onL1, leastTip] = await Promise.all([
      isEstimated ? gas.read(at, address, isTooTight) : undefined,
      l1Fee?.(at),
      tip?.(at, address),
    ])
    return {
      ...(noOpGas !== undefined && { noOpGas }),
      ...onL1,
      ...(leastTip !== undefined && { leastTip }),
    }
  }
}

/** Estimates of one transaction by several nodes differ by less, also where a part of them is for L1. */
const alikeFactor = 2

function readingGas(endpoints: Endpoints, least: Gas, most: () => Gas | undefined, elapsed: () => number) {
  let last: (MiddleFigure & { readonly readAt: Moment }) | undefined
  const onceAHead = readOnceAHead<MiddleFigure>()
  /** Of two that differ. The lower is tried first, and the other one after no node took a no-op with it. */
  let tries: { readonly which: 'lower' | 'higher'; readonly since?: BlockNumber } = { which: 'lower' }

  const tried = ({ figure, lower = figure }: MiddleFigure) => Math.max(least, tries.which === 'lower' ? lower : figure)

  return {
    isAboveTransfer: () => last !== undefined && tried(last) > transferGas,
    async read(at: TrackedHead, address: Address, isTooTight: boolean): Promise<Gas | undefined> {
      const { number } = at.head
      if (isTooTight && last?.lower !== undefined && number !== tries.since)
        tries = { which: tries.which === 'lower' ? 'higher' : 'lower', since: number }
      const now = { block: number, ms: elapsed() }
      if (last && isKept(isTooTight ? tightGasKept : gasKept, last.readAt, now)) return tried(last)
      const estimated = await onceAHead(at.head.hash, () => estimate(endpoints, at, address, most()))
      if (estimated === undefined) return undefined
      last = { ...estimated, readAt: now }
      return tried(last)
    },
  }
}

async function estimate(
  endpoints: Endpoints,
  at: TrackedHead,
  address: Address,
  most: Gas | undefined,
): Promise<MiddleFigure | undefined> {
  const by = (endpoint: Endpoint) => estimateOfNoOp(endpoint, address, most)
  return middleFigure(await askProviders(endpoints, at.by, by, isEnough), alikeFactor)
}

function isEnough([one, other, third]: readonly Gas[]): boolean {
  return third !== undefined || (one !== undefined && other !== undefined && isAlike(one, other, alikeFactor))
}

/**
 * Code that an account delegates to (EIP-7702) may revert. Then a transfer of nothing to an account without code stands for the no-op:
 * that may revert as well, and takes the nonce all the same. Undefined where the node does not estimate it.
 */
async function estimateOfNoOp({ call }: Endpoint, address: Address, most: Gas | undefined): Promise<Gas | undefined> {
  const estimated = (transaction: object) => estimateWithin(call, estimateOf(transaction), most)
  const answer = await estimated(noOpOf(address))
  const isReverted = revertReason(answer) !== undefined
  const last = isReverted ? await estimated({ ...noOpOf(address), to: codeless }) : answer
  return last.kind === 'value' ? toNumber(last.value) : undefined
}

function estimateOf(transaction: object): Call {
  return { method: 'eth_estimateGas', params: [transaction] }
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
