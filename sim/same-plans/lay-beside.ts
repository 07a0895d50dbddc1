// Puts a function that decides by two commits in the place of each that is compared.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** By file: the function of it that is compared. A plan, what a decision of it makes of a row, and no-ops that are signed in advance. */
const functions: Readonly<Record<string, string>> = {
  'src/domain/decide/decide.ts': 'decide',
  'src/domain/decide/apply.ts': 'apply',
  'src/domain/decide/signer/presign.ts': 'missingNoOps',
}

/** Before the engine is imported. `folder` has the other commit's src/domain. Returns a check that every file has been loaded since. */
export function layBeside(folder: string): () => void {
  const waiting = new Set(Object.keys(functions))
  const sources = new Map(
    Object.entries(functions).map(([file, name]) => [
      pathToFileURL(join(root, file)).href,
      { file, source: bothOf(file, name, folder) },
    ]),
  )
  registerHooks({
    load(url, context, nextLoad) {
      const found = sources.get(url)
      if (!found) return nextLoad(url, context)
      waiting.delete(found.file)
      return { format: 'module', source: found.source, shortCircuit: true }
    },
  })
  return () => {
    if (waiting.size > 0) throw new Error(`never loaded: ${[...waiting].join(', ')}`)
  }
}

function bothOf(file: string, name: string, folder: string): string {
  const ours = JSON.stringify(`${pathToFileURL(join(root, file)).href}?ours`)
  const theirs = JSON.stringify(pathToFileURL(join(folder, file)).href)
  const compare = JSON.stringify(new URL('./compare.ts', import.meta.url).href)
  return `export * from ${ours}
import { ${name} as ours } from ${ours}
import { ${name} as theirs } from ${theirs}
import { byBoth } from ${compare}
export const ${name} = byBoth(${JSON.stringify(name)}, ours, theirs)
`
}
