// docs/security.md lists every attack that is tried here, by number and name, and none that is not.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'list.unit.test.ts')
const tried = files
  .flatMap((name) => [
    ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^attack\(\s*(\d+),\s*(?:'(.*)'|"(.*)"),/gm),
  ])
  .map(([, number, single, double]) => ({ number: Number(number), name: single ?? double ?? '' }))
  .sort((one, other) => one.number - other.number)
const document = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
const listed = [...document.matchAll(/^\| (\d+) \| (.*?) \|/gm)]
  .map(([, number, name]) => ({ number: Number(number), name }))
  .sort((one, other) => one.number - other.number)

test('they are numbered from 1, without a gap', () => {
  expect(tried.map(({ number }) => number)).toEqual(tried.map((_, index) => index + 1))
  expect(tried.length).toBeGreaterThanOrEqual(40)
})

test('the document lists them', () => {
  expect(listed).toEqual(tried)
})
