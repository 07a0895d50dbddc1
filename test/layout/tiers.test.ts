// Every test file has its tier, and those of the unit tier start nothing.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tiers } from '../../vitest.config.ts'
import { startsBy, testFiles, tierOf } from './tiers.ts'

const files = await testFiles()

test('every test file belongs to a tier, and every tier has a file', () => {
  expect(files.length).toBeGreaterThan(150)
  expect(files.filter((file) => tierOf(file) === undefined)).toEqual([])
  const names = tiers.filter(({ again }) => !again).map(({ name }) => name)
  expect(names.filter((name) => !files.some((file) => tierOf(file) === name))).toEqual([])
})

test('the name of a tier selects the command that runs it', () => {
  const names = tiers.map(({ name }) => name)
  expect(names.filter((name) => name.includes('-') && !/^(?:rest|long)-/.test(name))).toEqual([])
})

test('a file of the unit tier imports nothing that starts a node, a process or a database', () => {
  const unit = files.filter((file) => tierOf(file) === 'unit')
  expect(unit.map((file) => startsBy(file)?.join(' > ')).filter((way) => way !== undefined)).toEqual([])
})

test('a file that starts nothing belongs to the unit tier, unless it runs on virtual time', () => {
  const idle = files.filter((file) => startsBy(file) === undefined)
  expect(idle.filter((file) => tierOf(file) !== (usesVirtualTime(file) ? 'sim' : 'unit'))).toEqual([])
})

/** It takes over `setImmediate` of its process, which files of the unit tier share. */
function usesVirtualTime(file: string): boolean {
  return /sim\/timeline\.ts'/.test(readFileSync(file, 'utf8'))
}

test('no file replaces a module: files share a process, and would share the replacement', () => {
  const replacing = files.filter((file) => /^\s*vi\.(?:doM|m)ock\(/m.test(readFileSync(file, 'utf8')))
  expect(replacing).toEqual([])
})

test('no test is skipped in CI: what it lacks makes it fail there', () => {
  const ofTests = /\b(?:test|describe|it)(?:\.\w+)*\.(?:skip|todo|runIf|only)\(|\.skipIf\((?!isSkipped\()/
  expect(files.filter((file) => ofTests.test(readFileSync(file, 'utf8')))).toEqual([])
})

test.each([
  ["import Database from 'better-sqlite3'"],
  ["import { type ChildProcess, spawn } from 'node:child_process'"],
  ["import { startAnvil } from '../../tooling/anvil.ts'"],
  [`const { startService } = await ${'import'}('../../tooling/service.ts')`],
])('a start is seen: %s', (source) => {
  const written = new Map([
    ['test/domain/some.test.ts', source],
    ['tooling/anvil.ts', "import { startNode } from './node-process.ts'"],
    ['tooling/node-process.ts', "import { spawn } from 'node:child_process'"],
    ['tooling/service.ts', "export { x } from './node-process.ts'"],
  ])
  expect(startsBy('test/domain/some.test.ts', (path) => written.get(path))).toBeDefined()
})

test('an import of types alone starts nothing', () => {
  const source = "import type { Anvil } from '../../tooling/anvil.ts'\nimport type pg from 'pg'"
  expect(startsBy('test/domain/some.test.ts', (path) => (path.includes('some') ? source : undefined))).toBeUndefined()
})
