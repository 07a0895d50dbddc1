// node tooling/list-makes.ts: writes src/domain/listed-makes.ts, the makes of rollups by viem's list of chains. The service reads
// that file, as viem's list takes 400 ms and 44 MB. Run it after an update of viem; a test compares the two.
import { writeFile } from 'node:fs/promises'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import * as chains from 'viem/chains'

const makes = ['opStack', 'zkStack', 'rollup'] as const
type Make = (typeof makes)[number]

interface Definition {
  readonly id: number
  readonly sourceId?: number | undefined
  readonly contracts?: object | undefined
  readonly custom?: object | undefined
}

/** The predeploys of the OP stack; what only the client of ZKsync needs; and a chain below, of whatever make. */
export function makeOf({ contracts = {}, custom = {}, sourceId }: Definition): Make | undefined {
  if ('gasPriceOracle' in contracts || 'l1Block' in contracts) return 'opStack'
  if ('getEip712Domain' in custom) return 'zkStack'
  return sourceId === undefined ? undefined : 'rollup'
}

/** Two chains may share an id: only where all definitions of it agree. */
export function listMakes(): ReadonlyMap<Make, readonly number[]> {
  const definitions: readonly Definition[] = Object.values(chains)
  const byId = Map.groupBy(definitions, ({ id }) => id)
  const agreed = [...byId].flatMap(([id, all]) => {
    const found = new Set(all.map(makeOf))
    const [make] = found
    return make !== undefined && found.size === 1 ? [{ id, make }] : []
  })
  const ids = (make: Make) => agreed.flatMap((each) => (each.make === make ? [each.id] : [])).sort((a, b) => a - b)
  return new Map(makes.map((make) => [make, ids(make)]))
}

const comments: Readonly<Record<Make, string>> = {
  opStack: "With the OP stack's oracle of gas prices.",
  zkStack: 'With transactions of ZKsync.',
  rollup: 'With a chain below, and of unknown make.',
}

function listedMakesFile(): string {
  const lists = [...listMakes()].map(
    ([make, ids]) =>
      `  /** ${comments[make]} */\n  ${make}: [\n${ids.map((id) => `    ${grouped(id)},\n`).join('')}  ],\n`,
  )
  return `// Written by tooling/list-makes.ts: the makes of rollups, by viem's list of chains.

export const listedMakes = {
${lists.join('')}} as const satisfies Readonly<Record<string, readonly number[]>>
`
}

function grouped(id: number): string {
  return id >= 1_000 ? String(id).replace(/\B(?=(\d{3})+$)/g, '_') : String(id)
}

if (fileURLToPath(import.meta.url) === argv[1]) {
  await writeFile(new URL('../src/domain/listed-makes.ts', import.meta.url), listedMakesFile())
}
