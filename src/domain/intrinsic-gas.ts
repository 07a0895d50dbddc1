// The gas that a transaction pays before its first instruction. With a lower limit every node refuses it.
import { invalidReasonOf, isNoOp, newest } from './attempt.ts'
import { RescindError } from './errors.ts'
import { amsterdamRules, describeFigures, type GasFigures, lowBaseGas, osakaRules, transferGas } from './gas-figures.ts'
import type { Hex } from './ids.ts'
import type { Observation } from './observation.ts'
import type { NetworkProfile } from './profile.ts'
import type { Relayer } from './relayer.ts'
import type { InPhase, Payload } from './transaction.ts'
import type { Gas } from './units.ts'

/** EIP-2. */
const creationGas: Gas = 32_000
/** The gas for each 32 bytes of the code that creates a contract (EIP-3860). */
const initCodeWordGas: Gas = 2
/** EIP-2780: a call of another account, and a creation. With a value to another account it is 21,000, as before. */
const lowCallGas: Gas = 15_000
const lowCreationGas: Gas = 24_000

interface ListPrices {
  readonly address: Gas
  readonly key: Gas
}
/** EIP-2930. */
const listPrices: ListPrices = { address: 2_400, key: 1_900 }
/** EIP-8038, and the bytes of both at 64 each (EIP-7981). */
const dearListPrices: ListPrices = { address: 2_900 + 1_280, key: 2_000 + 2_048 }

export type GasRules = Pick<NetworkProfile, 'floorGas' | 'l1Fee' | 'gasRules'> &
  Pick<Observation, 'refusedByAll'> & { readonly figures?: GasFigures }

export function gasRulesOf(
  { floorGas, l1Fee, gasRules }: Pick<NetworkProfile, 'floorGas' | 'l1Fee' | 'gasRules'>,
  { gasFigures, refusedByAll }: Pick<Observation, 'gasFigures' | 'refusedByAll'>,
): GasRules {
  return {
    ...{ floorGas, l1Fee },
    ...(gasRules && { gasRules }),
    ...(gasFigures && { figures: gasFigures }),
    ...(refusedByAll && { refusedByAll }),
  }
}

type Priced = Pick<Payload, 'from' | 'to' | 'value' | 'data' | 'accessList'>

/**
 * A lower bound where a figure is absent: no refusal rests on the fork then. A chain with prices of its own for gas (neither of the
 * profile's members says so) has no minimum here.
 */
export function leastGas(payload: Priced, { floorGas, l1Fee, figures = {} }: GasRules): Gas {
  if (floorGas) return Math.max(intrinsicGas(payload, figures) + initCodeGas(payload), dataFloorGas(payload, figures))
  // The part for L1 comes on top, so this is a lower bound.
  return l1Fee === 'in_gas' ? intrinsicGas(payload, figures) : 0
}

/** The gas that a value needs to a receiver that does not exist. Absent while that was not read, and where it costs nothing extra. */
export function gasOfNewReceiver(payload: Priced, rules: GasRules): Gas | undefined {
  const { newAccount = 0 } = rules.figures ?? {}
  const { from, to, value } = payload
  if (!rules.floorGas || newAccount === 0 || value === 0n || to === undefined || isSame(from, to)) return undefined
  return leastGas(payload, rules) + newAccount
}

/** The least that data costs: at EIP-7623 ten gas for a byte that is 0 and forty for any other, at EIP-7976 as much for each. */
export function dataFloorGas(payload: Priced, { base, floor = 0 }: GasFigures): Gas {
  const { zeros, others } = bytesOf(payload.data)
  const start = base === transferGas ? transferGas : callGas(payload)
  return start + floor * zeros + (floor === 64 ? floor : 4 * floor) * others
}

/** EIP-2028 for the data. */
function intrinsicGas(payload: Priced, figures: GasFigures): Gas {
  const { zeros, others } = bytesOf(payload.data)
  const { accessList = [], to } = payload
  const isOld = figures.base === transferGas
  const { address, key } = !isOld && figures.floor === 64 ? dearListPrices : listPrices
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const creation = to === undefined ? creationGas : 0
  const start = isOld ? transferGas + creation : callGas(payload)
  return start + 4 * zeros + 16 * others + address * accessList.length + key * keys
}

/** The base gas by EIP-2780, without data. */
function callGas({ from, to, value }: Priced): Gas {
  if (to === undefined) return lowCreationGas
  if (isSame(from, to)) return lowBaseGas
  return value > 0n ? transferGas : lowCallGas
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function initCodeGas({ to, data }: Priced): Gas {
  return to === undefined ? initCodeWordGas * Math.ceil((data.length - 2) / 64) : 0
}

function bytesOf(data: Hex): { readonly zeros: number; readonly others: number } {
  let zeros = 0
  for (let at = 2; at < data.length; at += 2) if (data[at] === '0' && data[at + 1] === '0') zeros += 1
  return { zeros, others: (data.length - 2) / 2 - zeros }
}

/** Why no node takes a payload with this gas limit, whatever it does. `most`: of a block, or by the rules of its fork. */
export function refusalOfGas(
  payload: Priced & Pick<Payload, 'gasLimit'>,
  most: Gas | undefined,
  rules: GasRules,
): string | undefined {
  const { gasLimit } = payload
  if (gasLimit === undefined) return undefined
  const least = leastGas(payload, rules)
  if (gasLimit < least) return `its gas_limit ${gasLimit} is below its intrinsic gas, ${least}${ruleOf(rules)}`
  return most !== undefined && gasLimit > most
    ? `its gas_limit ${gasLimit} is above the most that a transaction may have on this chain now, ${most}`
    : undefined
}

/**
 * Whether no node takes the newest attempt any more, since a fork raised the least gas, and another limit is ours to choose: the client
 * named none.
 */
export function isBelowLeastGas(transaction: InPhase<'inFlight'>, rules: GasRules): boolean {
  const { payload, lifecycle } = transaction
  const latest = newest(lifecycle.attempts)
  return payload.gasLimit === undefined && !isNoOp(latest) && latest.gasLimit < leastGasInFlight(transaction, rules)
}

/**
 * Nodes that call the newest attempt invalid may be on the other side of a fork, where figures were not read. More gas costs nothing, so
 * the next attempt has what both sides accept.
 */
export function leastGasInFlight({ payload, lifecycle }: InPhase<'inFlight'>, rules: GasRules): Gas {
  const latest = newest(lifecycle.attempts)
  const isRefused = invalidReasonOf(latest) !== undefined || rules.refusedByAll?.has(latest.hash) === true
  const sides = isRefused ? [osakaRules, amsterdamRules] : []
  const least = sides.map((side) => leastGas(payload, { ...rules, figures: { ...side, ...rules.gasRules } }))
  return Math.max(leastGas(payload, rules), ...least)
}

/** Throws GAS_LIMIT_TOO_LOW. */
export function checkGasLimit(
  { policies, address: from }: Pick<Relayer, 'policies' | 'address'>,
  payload: Omit<Priced, 'from'> & Pick<Payload, 'gasLimit'>,
  rules: GasRules,
): void {
  const { gasLimit } = payload
  if (gasLimit === undefined) return
  const least = leastGas({ ...payload, from }, rules)
  if (gasLimit >= least) return
  const orNone = policies.gasLimitEstimation === false ? '' : ', or none to have it estimated'
  throw new RescindError(
    'GAS_LIMIT_TOO_LOW',
    `gas_limit: ${gasLimit} is below the intrinsic gas of this transaction, ${least}${ruleOf(rules)}; send ${least} or more${orNone}`,
  )
}

/** A refusal names the figures that it rests on: a fork changes them. */
function ruleOf({ figures = {} }: GasRules): string {
  const known = describeFigures(figures)
  return known === '' ? '' : ` (by ${known}, see gas_rules of the network)`
}
