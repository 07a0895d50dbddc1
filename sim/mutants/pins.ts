// For each mutant that the simulator notices, a seed of 300 steps that does: `pins.json`, which `sim:mutants --pin` writes.
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('./pins.json', import.meta.url)

export type Pins = Readonly<Record<string, number>>

export function pins(): Pins {
  return JSON.parse(readFileSync(file, 'utf8')) as Pins
}

/** Over those that there are. In the order of their names, so that two changes meet in one line only where they differ. */
export function pin(found: Pins): void {
  const all = Object.entries({ ...pins(), ...found }).toSorted(([one], [other]) => (one < other ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`)
}
