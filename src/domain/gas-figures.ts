// The prices of gas that forks change. A chain shows each by its effect, as an L2 or a test node may have one of a fork without the others.
import type { Gas } from './units.ts'

/** The gas of any transaction until EIP-2780; after it, still the gas of a value to another account. */
export const transferGas: Gas = 21_000
/** A call of an account to itself since EIP-2780. */
export const lowBaseGas: Gas = 12_000
/** The state gas of an account that a value creates: 120 bytes, 1,530 each (EIP-8037). */
export const newAccountGas: Gas = 183_600

/** The least for a byte 0 of data, beside its execution: none, that of EIP-7623, that of EIP-7976. */
export const floorsOfByte = [0, 10, 64] as const
type FloorOfByte = (typeof floorsOfByte)[number]
export const bases = [lowBaseGas, transferGas] as const

/** An absent member was not read: nothing is refused by it, and costs count its higher value. */
export interface GasFigures {
  /** The gas of a call of an account to itself, without value and data. */
  readonly base?: (typeof bases)[number]
  readonly floor?: FloorOfByte
  /** The state gas of an account that a value creates; 0 before EIP-8037. */
  readonly newAccount?: Gas
}

export type GasFigure = keyof GasFigures

/** The figures' names in the configuration and the API. */
export const figureNames = {
  base: 'base',
  floor: 'floor',
  newAccount: 'new_account',
} as const satisfies Record<GasFigure, string>
export const gasFigures = ['base', 'floor', 'newAccount'] as const satisfies readonly GasFigure[]

/** Ethereum's figures before Amsterdam. */
export const osakaRules: GasFigures = { base: transferGas, floor: 10, newAccount: 0 }
/** Ethereum's figures with Amsterdam. */
export const amsterdamRules: GasFigures = { base: lowBaseGas, floor: 64, newAccount: newAccountGas }

/** The figures in words: empty if there are none. */
export function describeFigures(figures: GasFigures): string {
  const known = gasFigures.filter((figure) => figures[figure] !== undefined)
  return known.map((figure) => `${figureNames[figure]} ${figures[figure]}`).join(', ')
}
