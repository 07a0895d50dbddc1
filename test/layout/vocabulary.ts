// One word per concept: identifiers that use another word for a concept of docs/glossary.md, and types that share a name.
import { wordsOf } from './source.ts'

/** Word of a camelCase or snake_case name: the word of the glossary. Two words stand together, as in `handOver`. */
const replaced: Readonly<Record<string, string>> = {
  'hand over': 'broadcast',
  'hand overs': 'broadcasts',
  handed: 'broadcast',
  'not sent': 'unsent',
  envelope: 'signed, unsigned or request',
  envelopes: 'signed, unsigned or requests',
  asked: 'requester, requested or a name for what it holds',
  asker: 'requester',
  estate: 'registry',
  managed: 'entity',
  taker: 'spender',
  takers: 'spenders',
  stranger: 'foreign',
  strangers: 'foreign',
  past: 'lostHistory',
  told: 'reported, recorded or a name for what it holds',
  tell: 'report, record, log, notify or explain',
  tells: 'reports',
  telling: 'reporting',
  openings: 'conditions',
  hindrance: 'wait or condition',
  hindrances: 'waits or conditions',
  outpaced: 'belowBaseFee or belowNextBaseFee',
  filler: 'gapFiller',
  fillers: 'gapFillers',
}

/** Names of tables, columns and the wire, which stay; and where they may stand. */
const kept: Readonly<Record<string, readonly string[]>> = {
  estate: ['src/store/schema.ts', 'src/store/postgres/hint-messages.ts'],
  managed: ['src/store/schema.ts'],
}

export interface NamedFile {
  /** From the root of the repository. */
  readonly path: string
  readonly source: string
}

/** Each name that uses a replaced word, with the word to use; once a file. */
export function vocabularyViolations({ path, source }: NamedFile): readonly string[] {
  const names = new Set(wordsOf(source).match(/[A-Za-z_$][\w$]*/g))
  return [...names].flatMap((name) => {
    if (Object.hasOwn(kept, name) && kept[name]?.includes(path)) return []
    const words = ` ${wordsIn(name).join(' ')} `.replace(/ gap fillers? /, ' ')
    const found = Object.keys(replaced).find((word) => words.includes(` ${word} `))
    return found === undefined ? [] : [`${path}: ${name} ("${found}" is ${replaced[found]})`]
  })
}

/** `handOverAt` and `hand_over_at` are hand, over, at. */
function wordsIn(name: string): readonly string[] {
  const spaced = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return spaced.toLowerCase().split(/[\s_$]+/)
}

/** Exported types and classes that more than one file declares: a reader can't see which is meant. */
export function sharedTypeNames(files: readonly NamedFile[]): readonly string[] {
  const places = new Map<string, string[]>()
  for (const { path, source } of files) {
    for (const [, name = ''] of wordsOf(source).matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm)) {
      places.set(name, [...(places.get(name) ?? []), path])
    }
  }
  return [...places].flatMap(([name, paths]) => (paths.length > 1 ? [`${name}: ${paths.join(', ')}`] : []))
}
