// The commands of the documents select something: scripts, test files in the project that is named, tests by name, mutants, features.
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { matchesGlob } from 'node:path'
import { expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { tiers } from '../../vitest.config.ts'
import { documentNames } from './document-names.ts'
import { testFiles, tierOf } from './tiers.ts'

const files = await testFiles()
const documents = (await Promise.all((await documentNames()).map((name) => readFile(name, 'utf8')))).join('\n')

/** Up to a comment, the end of the code or of the line; an ellipsis stands for any arguments. */
function commandsOf(text: string, start: RegExp): readonly string[] {
  return [...text.matchAll(new RegExp(`${start.source}[^\`\\n#]*`, 'g'))]
    .map(([command]) => command.trim())
    .filter((command) => !command.includes('…'))
}

test('each command that runs tests finds them in the project that it names', () => {
  const commands = commandsOf(documents, /npx vitest run/)
  expect(commands.length).toBeGreaterThan(10)
  expect(commands.filter((command) => !selectsTests(command))).toEqual([])
})

/** Each path is a test file, or a folder with some, of the project; a name of a test stands in the file. */
function selectsTests(command: string): boolean {
  const [, project] = /--project (\S+)/.exec(command) ?? []
  const [, name] = / -t '([^']*)'/.exec(command) ?? []
  const paths = [...command.matchAll(/ (test\/[\w./-]+)/g)].map(([, path = '']) => path)
  if (project !== undefined && !tiers.some((tier) => tier.name === project)) return false
  return paths.every((path) => {
    const chosen = files.filter((file) => (file === path || file.startsWith(`${path}/`)) && isIn(file, project))
    return chosen.some((file) => name === undefined || readFileSync(file, 'utf8').includes(name))
  })
}

function isIn(file: string, project: string | undefined): boolean {
  return project === undefined || tiersOf(file).includes(project)
}

/** The one that it belongs to, and those that run it again. */
function tiersOf(file: string): readonly (string | undefined)[] {
  const again = tiers.filter(({ again, files, except = [] }) => again && holds(files, file) && !holds(except, file))
  return [tierOf(file), ...again.map(({ name }) => name)]
}

const holds = (patterns: readonly string[], file: string) => patterns.some((pattern) => matchesGlob(file, pattern))

test('each script of npm that a document names exists', () => {
  const named = commandsOf(documents, /npm run /).map((command) =>
    command.split(/\s+/).find((word) => !/^(?:npm|run|-s)$/.test(word)),
  )
  const names = named.map((name) => name?.replace(/[^\w:-].*$/, ''))
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => name === undefined || !(name in packageFile.scripts))).toEqual([])
})

test('each program of the repository that a document runs with Node exists', () => {
  const programs = [...documents.matchAll(/\bnode ((?:test|tooling|sim|bench|demo|src)\/\S+?\.ts)\b/g)].map(
    ([, path = '']) => path,
  )
  expect(programs.length).toBeGreaterThan(0)
  expect(programs.filter((path) => !existsSync(path))).toEqual([])
})

test.each([
  'npx vitest run test/none.test.ts',
  'npx vitest run --project none test/layout/tiers.test.ts',
  'npx vitest run --project sim test/layout/tiers.test.ts',
  "npx vitest run test/layout/tiers.test.ts -t 'no test has this name'",
])('a command that selects nothing is noticed: %s', (command) => {
  expect(selectsTests(command)).toBe(false)
})
