// What the command line takes, what it says, and with which status the process ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseArguments } from '../../src/arguments.ts'
import { rescind } from './support/run-transfer.ts'

const migrate = ['migrate', 'sqlite-to-postgres']
let folder: string
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/rescind-arguments-`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('nothing runs the service, and the three ways of a transfer are told apart', () => {
  expect(parseArguments([])).toEqual({ run: 'service' })
  expect(parseArguments([...migrate, '--from', 'a.db'])).toEqual({ run: 'transfer', from: 'a.db' })
  expect(parseArguments([...migrate, '--from=sqlite:a.db', '--dry-run'])).toEqual({
    run: 'rehearsal',
    from: 'sqlite:a.db',
  })
  expect(parseArguments([...migrate, '--undo', '--from', 'a.db'])).toEqual({ run: 'undo', from: 'a.db' })
})

test.each([
  [['serve'], 'there is no command "serve"'],
  [['statu', '--json'], 'there is no command "statu"; did you mean "status"?'],
  [['cancle', 'x'], 'there is no command "cancle"; did you mean "cancel"?'],
  [['--verbose'], "Unknown option '--verbose'"],
  [['--from', 'a.db'], '--from belongs to "migrate sqlite-to-postgres"'],
  [['migrate'], '"migrate" needs what: sqlite-to-postgres'],
  [['migrate', 'postgres-to-sqlite'], '"migrate postgres-to-sqlite" is none'],
  [migrate, '--from is missing'],
  [[...migrate, '--from'], "Option '--from <value>' argument missing"],
  [[...migrate, 'a.db'], '"a.db" is one argument too many; the file is named with --from'],
  [[...migrate, '--from', 'a.db', '--dry-run', '--undo'], '--dry-run and --undo exclude each other'],
  [[...migrate, '--from', 'a.db', '--to', 'postgres://u:hidden@h/d'], 'the target is named by DATABASE_URL'],
  [[...migrate, '--from', 'a.db', 'postgres://u:hidden@h/d'], 'the target is named by DATABASE_URL'],
])('%j is refused, with what is wrong', (args, reported) => {
  const requested = parseArguments(args)
  expect(requested).toMatchObject({ run: 'nothing', text: expect.stringContaining(`rescind: ${reported}`) })
  expect(JSON.stringify(requested)).not.toContain('hidden')
})

test('help and version are told, and a wrong argument ends with 2, whatever the configuration is', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await rescind(['--version'], folder)).toEqual({ code: 0, reported: `${version}\n` })
  for (const requested of [['--help'], ['-h'], ['help']]) {
    expect(await rescind(requested, folder)).toMatchObject({
      code: 0,
      reported: expect.stringContaining('rescind migrate'),
    })
  }
  expect(await rescind(['help', 'migrate'], folder)).toMatchObject({
    code: 0,
    reported: expect.stringContaining('--undo'),
  })
  expect(await rescind(['--hlep'], folder)).toMatchObject({
    code: 2,
    reported: expect.stringContaining('"rescind --help"'),
  })
})

test('without a target there is no move', async () => {
  const move = [...migrate, '--from', 'a.db']
  for (const env of [{}, { DATABASE_URL: 'sqlite:b.db' }]) {
    const refused = await rescind(move, folder, env as Record<string, string>)
    expect(refused).toMatchObject({
      code: 1,
      reported: expect.stringMatching(/^DATABASE_URL names no PostgreSQL database/),
    })
  }
  const unreadable = await rescind(move, folder, { DATABASE_URL: 'postgres://u:hidden@h:x/d' })
  expect(unreadable).toMatchObject({ code: 1, reported: expect.stringContaining('DATABASE_URL: is not a URL') })
  expect(unreadable.reported).not.toContain('hidden')
})
