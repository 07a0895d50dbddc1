// The catalogue of errors and docs/errors.md name the same codes, statuses and retryability.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogue } from '../../../src/domain/errors.ts'
import { replaceRefusalCodes } from '../../../src/domain/refusals.ts'
import { exampleMessage } from '../../../src/http/server/error-examples.ts'

const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
const sections = document.split(/^## /m).slice(1)
const bodyOf = new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')), section]))

test('every code has its heading, and every heading is a code', () => {
  expect([...bodyOf.keys()].sort()).toEqual(Object.keys(catalogue).sort())
  expect(sections).toHaveLength(bodyOf.size)
})

test.each(Object.entries(catalogue))('%s: status, retryable, when, what to do', (code, { status, retryable }) => {
  const body = bodyOf.get(code) ?? ''
  expect(body).toContain(`Status ${status} · ${retryable ? 'retryable' : 'not retryable'}`)
  expect(body).toMatch(/^\*\*When\*\*: \S/m)
  expect(body).toMatch(/^\*\*What to do\*\*: \S/m)
})

test.each(replaceRefusalCodes)('%s: an example of its message', (code) => {
  expect(exampleMessage(code)).not.toBe(code)
})
