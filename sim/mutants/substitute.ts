// Puts a mutant in the place of the engine, file by file, as they are loaded: production code has no switch for it.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Edit } from './mutant.ts'
import { mutants } from './mutants.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Before the engine is imported. Answers a check that every file of the mutant has been loaded since. */
export function substitute(name: string): () => void {
  return put(name, editsOf(name))
}

/** By path: the files of the mutant as it has them. */
export function sourcesOf(name: string): ReadonlyMap<string, string> {
  const edits = editsOf(name)
  return new Map(edits.map(({ file }) => [join(root, file), mutated(pathToFileURL(join(root, file)).href, edits)]))
}

function editsOf(name: string): readonly Edit[] {
  const mutant = mutants.find((each) => each.name === name)
  if (!mutant) throw new Error(`no mutant "${name}"; there are ${mutants.map((each) => each.name).join(', ')}`)
  return mutant.edits
}

/** As `substitute`, for edits that are no mutant of the simulator's. */
export function put(name: string, edits: readonly Edit[]): () => void {
  const waiting = new Set(edits.map(({ file }) => pathToFileURL(join(root, file)).href))
  const sources = new Map([...waiting].map((url) => [url, mutated(url, edits)]))
  registerHooks({
    load(url, context, nextLoad) {
      const source = sources.get(url)
      if (source === undefined) return nextLoad(url, context)
      waiting.delete(url)
      return { format: 'module-typescript', source, shortCircuit: true }
    },
  })
  return () => {
    if (waiting.size > 0) throw new Error(`${name}: never loaded ${[...waiting].join(', ')}`)
  }
}

function mutated(url: string, edits: readonly Edit[]): string {
  let source = readFileSync(fileURLToPath(url), 'utf8')
  for (const { file, find, put } of edits) {
    if (pathToFileURL(join(root, file)).href !== url) continue
    const places = source.split(find).length - 1
    if (places !== 1) throw new Error(`${file} has the text of the mutant ${places} times: ${find}`)
    source = source.replace(find, () => put)
  }
  return source
}
