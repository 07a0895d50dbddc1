// A policy that has its row and is read nowhere is accepted, stored and shown, and forbids nothing.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { policyTable } from '../../src/domain/policy-table.ts'
import { sourceFiles } from './source-files.ts'

test.each(Object.keys(policyTable))('%s is read outside its table, and the simulator sets it', async (policy) => {
  const sources = (await sourceFiles()).filter(({ path }) => path !== 'domain/policy-table.ts')
  const names = new RegExp(`\\b${policy}\\b`)
  expect(sources.some(({ source }) => names.test(source))).toBe(true)
  expect((await simulatorFiles()).some((source) => names.test(source))).toBe(true)
})

/** The simulator's sources, without its mutants, which only break policies. */
async function simulatorFiles(): Promise<readonly string[]> {
  const root = join(import.meta.dirname, '../../sim')
  const paths = (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.ts'))
  return Promise.all(
    paths.filter((path) => !path.startsWith('mutants')).map((path) => readFile(join(root, path), 'utf8')),
  )
}
