// The table of failures: every code that a client of a key service gives is in it, and the documents show it.
import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { errorKind, failureKind, failureTable, pinCodes, statusKind } from '../../src/signers/failure-table.ts'

const folder = new URL('../../src/signers/', import.meta.url)

/** The last argument of each call that begins so, where it is a quoted code. `before`: the text in front of it. */
function lastArguments(source: string, call: string, before = ''): readonly string[] {
  return source
    .split(call)
    .slice(1)
    .flatMap((rest) => {
      let depth = 1
      const end = [...rest].findIndex((char) => {
        depth += char === '(' ? 1 : char === ')' ? -1 : 0
        return depth === 0
      })
      const [, code] = new RegExp(`, ${before}'(\\w+)',? ?$`).exec(rest.slice(0, end)) ?? []
      return code === undefined ? [] : [code]
    })
}

test('every code that a client gives is in the table, with the kind that the client gives it', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts') && name !== 'failure-table.ts')
  const sources = await Promise.all(
    files.map(async (name) => (await readFile(new URL(name, folder), 'utf8')).replaceAll(/\s+/g, ' ')),
  )
  const given = sources.flatMap((source) => [
    ...[...source.matchAll(/kind: '(\w+)',(?: as const,)? code: '(\w+)'/g)].map(([, kind, code]) => [code, kind]),
    ...lastArguments(source, ' permanent(').map((code) => [code, 'permanent']),
    ...lastArguments(source, '(asPending(').map((code) => [code, 'pending']),
    ...lastArguments(source, 'new TokenFailure(', "'permanent', ").map((code) => [code, 'permanent']),
  ])
  expect(given.length).toBeGreaterThan(15)
  for (const [code = '', kind] of given) {
    const row = failureTable.find(({ codes }) => codes.includes(code))
    expect([code, row && errorKind(row.kind)]).toEqual([code, kind])
  }
})

test('a refused PIN, and a login that may have been refused, are tried once', () => {
  const named = ['PIN_INCORRECT', 'PIN_INVALID', 'PIN_LEN_RANGE', 'PIN_EXPIRED', 'PIN_LOCKED', 'PIN_TOO_WEAK']
  const ofToken = [...named, 'USER_PIN_NOT_INITIALIZED'].map((name) => `CKR_${name}`)
  expect(pinCodes).toEqual([...ofToken, 'PIN_FINAL_TRY', 'LOGIN_UNANSWERED'])
})

test('a code has one meaning for each service', () => {
  const named = failureTable.flatMap(({ of, codes }) => codes.map((code) => `${of} ${code}`))
  expect(named).toEqual([...new Set(named)])
})

test.each([
  ['https', 429, 'throttled'],
  ['https', 503, 'transient'],
  ['https', 408, 'transient'],
  ['https', 307, 'transient'],
  ['https', 403, 'credentials'],
  ['https', 404, 'permanent'],
  ['web3signer', 404, 'transient'],
  ['cdp', 401, 'transient'],
  ['vault', 412, 'transient'],
  ['azure_key_vault', 412, 'permanent'],
  ['azure_key_vault', 401, 'renewed'],
  ['turnkey', 403, 'renewed'],
] as const)('%s answers %d: %s', (of, status, kind) => {
  expect(statusKind(of, status)).toBe(kind)
})

test('a row of one service comes before that of all, and is of no other', () => {
  expect(failureKind('pkcs11', 'WRONG_CURVE')).toBe('otherKey')
  expect(failureKind('aws_kms', 'CKR_PIN_INCORRECT')).toBeUndefined()
})

/** The rows of the page: the codes of a service by their kind. The sources stand in the code. */
function shown(): readonly string[] {
  const names = { https: 'all, over HTTPS', all: 'all' } as const
  const groups = Map.groupBy(
    failureTable,
    ({ of, kind }) => `| ${of in names ? names[of as keyof typeof names] : `\`${of}\``} | \`${kind}\` |`,
  )
  return [...groups].map(
    ([head, rows]) => `${head} ${rows.flatMap(({ codes }) => codes.map((code) => `\`${code}\``)).join(', ')} |`,
  )
}

test('docs/signers.md shows each row, and each kind with what the service does', async () => {
  const page = await readFile(new URL('../../docs/signers.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('\n## Failures\n'), page.indexOf('\n## Pre-signed no-ops\n'))
  const head = '| service | kind | codes |\n|---|---|---|\n'
  const from = section.indexOf(head) + head.length
  expect(section.slice(from, section.indexOf('\n\n', from))).toBe(shown().join('\n'))
  for (const kind of new Set(failureTable.map((row) => row.kind))) expect(section).toMatch(`\n| \`${kind}\` | `)
})
