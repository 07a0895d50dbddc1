// Tries mutants, each with the test that it names, in one run of Vitest: to start it for each takes longer than most of these tests.
// A mutant has its own copy of its files and of all that import them, up to the test, and shares the others. What fails on a mutant
// also has to pass on the engine as it is, afterwards and in the same process. Prints a line of JSON for each mutant.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { BaseSequencer, startVitest, type TestCase, type TestModule, type TestSpecification } from 'vitest/node'
import { mutants } from './mutants.ts'
import { reaching } from './reach.ts'
import { sourcesOf } from './substitute.ts'
import type { Tried } from './together.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const ending = '.test.ts'
/** Follows the path of a copy. */
const mark = '?mutant='

interface Copies {
  readonly sources: ReadonlyMap<string, string>
  readonly reaches: (path: string) => boolean
}

const texts = new Map<string, string>()

function textOf(path: string): string {
  const known = texts.get(path) ?? readFileSync(path, 'utf8')
  texts.set(path, known)
  return known
}

const copies = new Map<string, Copies>()

function copiesOf(name: string): Copies {
  const known = copies.get(name)
  if (known) return known
  const sources = sourcesOf(name)
  const made = { sources, reaches: reaching(sources, textOf) }
  copies.set(name, made)
  return made
}

const isOwn = (path: string) => path.startsWith(root) && !path.includes('/node_modules/') && path.endsWith('.ts')

class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1))
  }
}

const copying: Plugin = {
  name: 'copies',
  enforce: 'pre',
  async resolveId(id, importer) {
    // Vite names it from the root in its second request.
    if (id.includes(mark)) return id.startsWith(root) ? id : join(root, id)
    const [path, name] = importer?.split(mark) ?? []
    if (name === undefined) return null
    const found = await this.resolve(id, path, { skipSelf: true })
    return found && isOwn(found.id) && copiesOf(name).reaches(found.id) ? `${found.id}${mark}${name}` : found
  },
  load(id) {
    const [path = '', name] = id.split(mark)
    return name === undefined ? null : (copiesOf(name).sources.get(path) ?? textOf(path))
  },
}

const tried = process.argv.slice(2).map((name) => {
  const { caughtBy, expects } = mutants.find((each) => each.name === name) ?? {}
  if (caughtBy === undefined || expects === undefined) throw new Error(`there is no mutant "${name}" with a test`)
  return { name, caughtBy, expects }
})
const tests = [...new Set(tried.map(({ caughtBy }) => caughtBy))]
const folder = await mkdtemp(join(tmpdir(), 'rescind-mutants-'))
const besides = fileURLToPath(new URL('./until-noticed.ts', import.meta.url))

/** A file that Vitest finds, in the order of their names. */
function begin(
  name: string,
  test: string,
  mutant?: { readonly name: string; readonly expects: string },
): Promise<void> {
  const file = mutant === undefined ? test : `${test}${mark}${mutant.name}`
  const engine = mutant === undefined ? 'as it is' : { expects: mutant.expects }
  return writeFile(
    join(folder, `${name}${ending}`),
    `import { untilNoticed } from ${JSON.stringify(besides)}
untilNoticed(${JSON.stringify(test)}, ${JSON.stringify(engine)})
await import(${JSON.stringify(join(root, file))})
`,
  )
}

try {
  await Promise.all([
    ...tried.map((each) => begin(`1 ${each.name}`, each.caughtBy, each)),
    ...tests.map((test, index) => begin(`2 ${index}`, test)),
  ])
  const modules = await run()
  const named = (name: string, state: 'passed' | 'failed') =>
    // A file that fails as a whole was not run, and notices nothing.
    [...(modules.get(name)?.children.allTests(state) ?? [])].filter(isAsserted).map(({ fullName }) => fullName)
  for (const { name, caughtBy } of tried) {
    const passed = new Set(named(`2 ${tests.indexOf(caughtBy)}`, 'passed'))
    const failed = named(`1 ${name}`, 'failed').find((test) => passed.has(test))
    const result: Tried = failed === undefined ? { name } : { name, noticed: `${caughtBy} > ${failed}` }
    process.stdout.write(`${JSON.stringify(result)}\n`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** A test that a mistake of the language ends has noticed no rule. */
function isAsserted(test: TestCase): boolean {
  const { errors = [] } = test.result()
  return !errors.some(({ name }) => ['TypeError', 'ReferenceError', 'SyntaxError'].includes(name ?? ''))
}

/** By the name of its file. */
async function run(): Promise<ReadonlyMap<string, TestModule>> {
  const vitest = await startVitest(
    [],
    {
      ...{ root, dir: folder, include: [`**/*${ending}`], config: false, run: true, watch: false, reporters: [{}] },
      ...{ pool: 'threads', maxWorkers: 1, isolate: false, testTimeout: 60_000, hookTimeout: 60_000 },
      expect: { poll: { timeout: 5_000 } },
      sequence: { sequencer: ByName },
    },
    { plugins: [copying] },
  )
  try {
    return new Map(vitest.state.getTestModules().map((module) => [basename(module.moduleId, ending), module]))
  } finally {
    await vitest.close()
  }
}
