// Finds exports that no other file imports.
import { posix } from 'node:path'

/** A file by its path from the root of the repository. */
export interface ModuleFile {
  readonly path: string
  readonly source: string
}

const declared =
  /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm
const listed = /^export (?:type )?\{([^}]*)\}(?! from)/gm
const imported = /\b(?:import|export)\s+(?:type\s+)?([\w$*{][^'"`;]*?)\s*from\s*['"](\.[^'"]+)['"]/g
const whole = /(?:\bimport\s*\(\s*|\bnew URL\(\s*|\bvi\.mock\(\s*)['"`](\.[^'"`]+)['"`]/g

/** Of the files that `isHeld`: each export as `path: name` that no other of `files` imports. */
export function unusedExports(files: readonly ModuleFile[], isHeld: (path: string) => boolean): readonly string[] {
  const used = new Set<string>()
  for (const { path, source } of files) {
    const at = (specifier: string) => posix.join(posix.dirname(path), specifier)
    for (const [, clause = '', specifier = ''] of source.matchAll(imported)) {
      for (const name of namesIn(clause)) used.add(`${at(specifier)}: ${name}`)
    }
    // Types named by `import('…').Name`, and modules that are loaded as a whole.
    for (const [, specifier = ''] of source.matchAll(whole)) used.add(`${at(specifier)}: *`)
  }
  return files
    .filter(({ path }) => isHeld(path) && !used.has(`${path}: *`))
    .flatMap(({ path, source }) => exportsOf(source).map((name) => `${path}: ${name}`))
    .filter((each) => !used.has(each))
}

function exportsOf(source: string): readonly string[] {
  const names = [...source.matchAll(listed)].flatMap(([, names = '']) => names.split(','))
  const last = (name: string) => name.trim().split(/\s+/).at(-1) ?? ''
  return [...[...source.matchAll(declared)].map(([, name = '']) => name), ...names.map(last)].filter(
    (name) => name !== '',
  )
}

/** `{ one, type two as other }` imports one and two, `* as all` everything. */
function namesIn(clause: string): readonly string[] {
  if (clause.includes('*')) return ['*']
  const inBraces = /\{([\s\S]*)\}/.exec(clause)?.[1] ?? ''
  return inBraces
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((name) => name !== '')
}
