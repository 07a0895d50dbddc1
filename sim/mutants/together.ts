// Tries mutants one after the other in one process, each at its pinned seed. To start a process for each takes longer than its
// seed. A mutant has its own copy of its files and of all that import them, and shares the others with the unbroken engine:
// compiling them anew would take as long as the seed. Prints a line of JSON for each.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { setImmediate as realSetImmediate } from 'node:timers'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDisk } from '../process/database.ts'
import { drawnUsually, type Feature, leftOutForMutant } from '../scenario/features.ts'
import { mutants } from './mutants.ts'
import { pins } from './pins.ts'
import { reaching } from './reach.ts'
import { sourcesOf } from './substitute.ts'

export interface Tried {
  readonly name: string
  /** The failure that the mutant expects; absent without one, and where the engine fails as it is. */
  readonly noticed?: string
}

const steps = 300
/** More than a rejection takes to be called unhandled. */
const turnsAfterwards = 10

const own = new URL('../../', import.meta.url).href
const isOwn = (url: string) => url.startsWith(`${own}src/`) || url.startsWith(`${own}sim/`)
const mutantOf = (url: string | undefined) => url?.split('?mutant=')[1]
const pathOf = (url: string) => fileURLToPath(url.split('?')[0] ?? '')

/** By path: most files are those of every mutant. */
const stripped = new Map<string, string>()
/** Of the mutant that is loaded: its files by path, and those of them that are still to come. */
let sources: ReadonlyMap<string, string> = new Map()
const waiting = new Set<string>()
let reaches = reaching(sources, sound)

function sound(path: string): string {
  const known = stripped.get(path) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'))
  stripped.set(path, known)
  return known
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    const name = mutantOf(context.parentURL)
    const isCopy = name !== undefined && isOwn(found.url) && reaches(pathOf(found.url))
    return isCopy ? { ...found, url: `${found.url}?mutant=${name}` } : found
  },
  load(url, context, next) {
    if (mutantOf(url) === undefined) return next(url, context)
    const path = pathOf(url)
    waiting.delete(path)
    const mutated = sources.get(path)
    const source = mutated === undefined ? sound(path) : stripTypeScriptTypes(mutated)
    return { format: 'module', source, shortCircuit: true }
  },
})

interface Simulator {
  readonly runSeed: typeof import('../run-seed.ts').runSeed
  /** It takes over the one of the process. */
  readonly setImmediate: typeof globalThis.setImmediate
}

const unbroken: Simulator = await import('../run-seed.ts').then(({ runSeed }) => ({ runSeed, setImmediate }))

/** Of the engine with the files of a mutant in place of its own. */
async function load(name: string): Promise<Simulator> {
  sources = sourcesOf(name)
  reaches = reaching(sources, sound)
  for (const path of sources.keys()) waiting.add(path)
  globalThis.setImmediate = realSetImmediate
  const { runSeed } = (await import(`../run-seed.ts?mutant=${name}`)) as Simulator
  if (waiting.size > 0) throw new Error(`${name}: never loaded ${[...waiting].join(', ')}`)
  const taken = globalThis.setImmediate
  return { runSeed, setImmediate: taken === realSetImmediate ? unbroken.setImmediate : taken }
}

async function failureIn(
  simulator: Simulator,
  seed: number,
  features: readonly Feature[],
): Promise<string | undefined> {
  globalThis.setImmediate = simulator.setImmediate
  const given = (names: readonly Feature[], odds: number) => Object.fromEntries(names.map((name) => [name, odds]))
  const drawn = { ...drawnUsually, ...given(leftOutForMutant(features), 0), ...given(features, 1) }
  using disk = openDisk()
  const { failure } = await simulator.runSeed(disk, { seed, steps, drawn })
  for (let turns = 0; turns < turnsAfterwards; turns += 1) await turn()
  return failure?.what
}

/** By seed and features: mutants share them. */
const failuresUnbroken = new Map<string, Promise<string | undefined>>()

async function tryOut(name: string): Promise<Tried> {
  const mutant = mutants.find((each) => each.name === name)
  const seed = pins()[name]
  if (!mutant || seed === undefined) throw new Error(`there is no mutant "${name}" with a pin`)
  const { with: features = [], expects } = mutant
  const noticed = await failureIn(await load(name), seed, features)
  if (!noticed?.includes(expects)) return { name }
  const world = `${seed} ${features}`
  const failing = failuresUnbroken.get(world) ?? failureIn(unbroken, seed, features)
  failuresUnbroken.set(world, failing)
  return (await failing) === undefined ? { name, noticed } : { name }
}

for (const name of process.argv.slice(2)) process.stdout.write(`${JSON.stringify(await tryOut(name))}\n`)
