// docs/schema.md has a row for each table, and names no other. docs/benchmarks.md has the aims that the bench prints.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { callAims } from '../../bench/aims.ts'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the page of the schema has each table', async () => {
  const [, members = ''] = /^export interface Schema \{\n([\s\S]*?)^\}/m.exec(await read('src/store/schema.ts')) ?? []
  const tables = [...members.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name).sort()
  const rows = (await read('docs/schema.md')).match(/^\| `[^|]+\|/gm) ?? []
  const shown = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name)).sort()
  expect(tables.length).toBeGreaterThan(30)
  expect(shown).toEqual(tables)
})

test('the aims of JSON-RPC calls are those of the page of benchmarks', async () => {
  const page = (await read('docs/benchmarks.md')).replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
  const rows = [...page.matchAll(/^\| (.+?) \| (.+?) \|/gm)].map(([, row, aim]) => [row, Number(aim)] as const)
  const shown = rows.filter(([row]) => row !== undefined && row in callAims)
  expect(Object.fromEntries(shown)).toEqual(callAims)
})
