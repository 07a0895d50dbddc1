// The check lists the relayers whose sends may go to anybody, and to nobody: of the file, of the API, and as the API changed them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkReceivers } from '../../src/cli/check/check-receivers.ts'
import { readStored } from '../../src/cli/check/read-stored.ts'
import type { RelayerConfig } from '../../src/config/config.ts'
import { loadDatabase } from '../../src/config/environment.ts'
import type { Address, RelayerId } from '../../src/domain/ids.ts'
import type { Policies } from '../../src/domain/policy-table.ts'
import { systemClock } from '../../src/ops/clock.ts'
import type { RelayerDocument } from '../../src/registry/stored-entities.ts'
import { relayerToEntity } from '../../src/registry/stored-entities.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { databaseIn } from '../../tooling/tested-database.ts'
import { somePolicies, someRelayer } from '../domain/some.ts'
import { quiet } from '../store/open-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'rescind-check-'))
const tested = databaseIn(folder)
tested.create()
const database = await loadDatabase({ DATABASE_URL: tested.url }, folder)
afterAll(() => {
  tested.drop()
  rmSync(folder, { recursive: true, force: true })
})

const list = [someRelayer().address]
const inFile = (id: string, policies: Partial<Policies>): Pick<RelayerConfig, 'id' | 'policies'> => ({
  id,
  policies: { ...somePolicies, ...policies },
})
const texts = async (file: readonly Pick<RelayerConfig, 'id' | 'policies'>[]) =>
  checkReceivers(file, await readStored(database)).map(({ level, text }) => `${level}: ${text}`)

test('before the first start, of the file alone', async () => {
  const limited = inFile('limited', { whitelistReceivers: list })
  expect(await texts([limited])).toEqual(['ok: each relayer has a list of receivers'])
  expect(await texts([inFile('open', {}), limited, inFile('closed', { whitelistReceivers: [] })])).toEqual([
    'warning: no whitelist_receivers, so sends may go to anybody: open',
    'warning: whitelist_receivers is empty, so sends may go to nobody: closed',
  ])
})

test('with what the API made and changed, also while a service has the database', async () => {
  const around = { clock: systemClock, logger: quiet }
  await using store = await (database.kind === 'postgres'
    ? openPostgresStore({ ...database, ...around })
    : openSqliteStore({ ...database, ...around }))
  let account = 1
  const stored = (id: string, document: RelayerDocument, whitelistReceivers?: readonly Address[]) =>
    store.commit(async (session) => {
      const address = `0x${String(account).padStart(40, '0')}` as Address
      account += 1
      const policies = { ...somePolicies, ...(whitelistReceivers && { whitelistReceivers }) }
      await session.saveRelayer(someRelayer({ id: id as RelayerId, address, policies }))
      await session.saveEntity(relayerToEntity(id, document, undefined))
    })
  await stored('made-open', { origin: 'api' })
  await stored('made-limited', { origin: 'api' }, list)
  await stored('made-closed', { origin: 'api' }, [])
  const overlay = (whitelistReceivers: readonly Address[] | null) =>
    ({ origin: 'file', overlay: { policies: { whitelistReceivers } } }) as const
  await stored('opened', overlay(null))
  await stored('shut', overlay([]), [])
  await stored('narrowed', overlay(list), list)
  await stored('renamed', { origin: 'file', overlay: { name: 'other' } })
  const file = ['opened', 'shut'].map((id) => inFile(id, { whitelistReceivers: list }))
  expect(await texts([...file, inFile('narrowed', {}), inFile('renamed', {})])).toEqual([
    'warning: no whitelist_receivers, so sends may go to anybody: opened, renamed, made-open',
    'warning: whitelist_receivers is empty, so sends may go to nobody: shut, made-closed',
  ])
})

test('a database that can not be read is no list of relayers, and it says so', async () => {
  writeFileSync(join(folder, 'text.db'), 'This is a text, and no database.'.repeat(40))
  const limited = inFile('limited', { whitelistReceivers: list })
  for (const url of ['postgres://u:hidden@127.0.0.1:1/d', `sqlite:${folder}/text.db`]) {
    const found = checkReceivers([limited], await readStored(await loadDatabase({ DATABASE_URL: url }, folder)))
    expect(found).toMatchObject([
      { level: 'warning', text: expect.stringMatching(/^the database can't be read now, so .* are not checked: /) },
    ])
  }
})
