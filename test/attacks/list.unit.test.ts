// docs/security.md names every file of attacks, and how many attacks there are.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('.', import.meta.url)
const attacks = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^attack\(\s*(\d+),/gm)].map(([, number]) => ({
      file,
      number: Number(number),
    })),
  )
const numbers = attacks.map(({ number }) => number).sort((one, other) => one - other)
const [, section = ''] = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8').split(
  '\n## Tested attacks\n',
)

test('they are numbered from 1, without a gap', () => {
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  expect(numbers.length).toBeGreaterThanOrEqual(40)
})

test('the page has their number and their files', () => {
  expect(section).toContain(`\n${numbers.length} attacks are tests`)
  const named = [...section.matchAll(/`test\/attacks\/([\w-]+\.test\.ts)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual([...new Set(attacks.map(({ file }) => file))].toSorted())
})
