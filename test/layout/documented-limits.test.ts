// Numbers of the documents that are limits of the code: one that changes takes its sentence with it.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limits } from '../../src/config/limits.ts'
import { sessionsPerKeyMax } from '../../src/domain/dashboard-session.ts'
import {
  batchBodyBytesMax,
  bodyBytesMaxDefault,
  connectionTimeoutMs,
  eventStreamsMax,
  eventStreamsPerKeyMax,
  perPageDefault,
  perPageMax,
  waitsPerKeyMax,
} from '../../src/http/limits.ts'

const read = (document: string) => readFile(join(import.meta.dirname, '../..', document), 'utf8')
const inWords = (count: number) => count.toLocaleString('en-US')

test.each([
  ['docs/api.md', `a preference of a key with ${waitsPerKeyMax} waits under way`],
  ['docs/events.md', `a reader that takes nothing for ${connectionTimeoutMs / 1_000} seconds`],
  [
    'docs/events.md',
    `At most ${eventStreamsMax} streams are open at once in each process, and at most ${eventStreamsPerKeyMax} for each key`,
  ],
  ['docs/dashboard.md', `A key has ${sessionsPerKeyMax} sessions at most`],
  ['docs/configuration.md', `the stream for ${limits.eventsKeptMs / 86_400_000} days`],
  [
    'docs/configuration.md',
    `dead letters for ${limits.deadLettersKeptMs / 86_400_000} days, at most the newest ${inWords(limits.deadLettersKeptMax)}`,
  ],
  ['docs/monitoring.md', `and ${limits.auditDaysMax} days`],
  [
    'docs/configuration.md',
    `| pending transactions of a relayer, held ones among them | ${inWords(limits.queueMaxOnSqlite)} on SQLite, ${inWords(limits.queueMax)} on PostgreSQL |`,
  ],
  [
    'docs/configuration.md',
    `| the body of a request | ${bodyBytesMaxDefault / 1024} KiB; ${batchBodyBytesMax / 1024 / 1024} MiB for a batch |`,
  ],
  ['docs/configuration.md', `| a page | ${perPageDefault} entries; with \`per_page\` up to ${inWords(perPageMax)} |`],
  ['docs/security.md', `until ${sessionsPerKeyMax} later sign-ins with the key`],
])('%s: %s', async (document, words) => {
  expect((await read(document)).replaceAll(/\s+/g, ' ')).toContain(words)
})

test('api.md lists each status that an error of the catalog has', async () => {
  const catalog = await read('docs/errors.md')
  const statuses = new Set([...catalog.matchAll(/^Status (\d+)/gm)].map(([, status]) => status))
  expect(statuses.size).toBeGreaterThan(10)
  const [row = ''] = /^\| status codes \|.*$/m.exec(await read('docs/api.md')) ?? []
  expect([...statuses].filter((status) => !row.includes(String(status)))).toEqual([])
})
