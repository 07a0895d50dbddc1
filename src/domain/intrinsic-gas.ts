// The gas that a transaction pays before its first instruction. With a lower limit every node refuses it.
import { RescindError } from './errors.ts'
import type { Hex } from './ids.ts'
import type { NetworkProfile } from './profile.ts'
import type { Relayer } from './relayer.ts'
import type { Payload } from './transaction.ts'
import type { Gas } from './units.ts'

/** A transfer to an account without code (EIP-2028). */
export const transferGas: Gas = 21_000
/** EIP-2. */
const creationGas: Gas = 32_000
/** For each 32 bytes of the code that creates a contract (EIP-3860). */
const initCodeWordGas: Gas = 2
/** EIP-2930. */
const listedAddressGas: Gas = 2_400
const listedKeyGas: Gas = 1_900

export type GasRules = Pick<NetworkProfile, 'floorGas' | 'l1Fee'>

type Priced = Pick<Payload, 'to' | 'data' | 'accessList'>

/** A chain with prices of its own for gas (neither of the profile's members says so) has no minimum here. */
export function leastGas(payload: Priced, { floorGas, l1Fee }: GasRules): Gas {
  if (floorGas) return Math.max(intrinsicGas(payload) + initCodeGas(payload), dataFloorGas(payload.data))
  // The part for L1 comes on top, so this is a lower bound.
  return l1Fee === 'in_gas' ? intrinsicGas(payload) : 0
}

/** The least that data costs (EIP-7623): ten gas for a byte that is 0, and forty for any other. */
export function dataFloorGas(data: Hex): Gas {
  const { zeros, others } = bytesOf(data)
  return transferGas + 10 * zeros + 40 * others
}

/** EIP-2028 and EIP-2930. */
function intrinsicGas({ to, data, accessList = [] }: Priced): Gas {
  const { zeros, others } = bytesOf(data)
  const keys = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const creation = to === undefined ? creationGas : 0
  return transferGas + creation + 4 * zeros + 16 * others + listedAddressGas * accessList.length + listedKeyGas * keys
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
  if (gasLimit < least) return `its gas_limit ${gasLimit} is below its intrinsic gas, ${least}`
  return most !== undefined && gasLimit > most
    ? `its gas_limit ${gasLimit} is above the most that a transaction may have on this chain now, ${most}`
    : undefined
}

/** Throws GAS_LIMIT_TOO_LOW. */
export function checkGasLimit(
  { policies }: Pick<Relayer, 'policies'>,
  payload: Priced & Pick<Payload, 'gasLimit'>,
  rules: GasRules,
): void {
  const { gasLimit } = payload
  if (gasLimit === undefined) return
  const least = leastGas(payload, rules)
  if (gasLimit >= least) return
  const isFloor = rules.floorGas && least === dataFloorGas(payload.data)
  const rule = isFloor ? ' (by EIP-7623, as floor_gas of the network is true)' : ''
  const orNone = policies.gasLimitEstimation === false ? '' : ', or none to have it estimated'
  throw new RescindError(
    'GAS_LIMIT_TOO_LOW',
    `gas_limit: ${gasLimit} is below the intrinsic gas of this transaction, ${least}${rule}; send ${least} or more${orNone}`,
  )
}
