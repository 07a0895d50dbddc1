// docs/ names every setting that is read, and no other.
import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { variablesWithoutEffect } from '../../src/config/foreign-variables.ts'
import { networkMembers } from '../../src/config/parse-networks.ts'
import { policyMembers } from '../../src/config/parse-policies.ts'
import { relayerMembers } from '../../src/config/parse-relayers.ts'
import { retentionMembers } from '../../src/config/parse-retention.ts'
import { documented } from '../support/documented.ts'
import { env, load, rightFile } from './workplace.ts'

/** Whatever the file names: these two stand in the table for all of them. */
const byReference = ['KEYSTORE_PASSPHRASE', 'WEBHOOK_SIGNING_KEY']
/** Read only to name them, or to refuse them. */
const ignored = [...variablesWithoutEffect, 'DISTRIBUTED_MODE']

/** The variables that loading reads. */
async function variablesRead(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const read = new Set<string>()
  const requested = new Proxy<Record<string, string | undefined>>(env, {
    get(target, name) {
      // Not `then`, which a promise reads from any value that it resolves to.
      if (typeof name === 'string' && /^[A-Z]/.test(name)) read.add(name)
      return target[name as string]
    },
  })
  await load(files, requested)
  return [...read].sort()
}

test('every variable that is read is documented, and every documented one is read', async () => {
  const file = rightFile()
  const nothing = { ...file, relayers: [], signers: [], notifications: [] }
  const read = await variablesRead({ 'config/config.json': JSON.stringify(nothing) })
  expect([...(await documented('## The environment'))].sort()).toEqual(
    [...read.filter((name) => !ignored.includes(name)), ...byReference].sort(),
  )
})

test.each([
  ['### `relayers[]`', relayerMembers],
  ['### `relayers[].policies`', policyMembers],
  ['## `networks[]`', networkMembers],
  ['## `retention`', retentionMembers],
])('every member of %s is documented', async (heading, members) => {
  expect([...(await documented(heading))].sort()).toEqual([...members].sort())
})

test('the example environment sets the documented variables, and the key that the example file refers to', async () => {
  const example = (name: string) => readFile(new URL(`../../config/${name}`, import.meta.url), 'utf8')
  const text = await example('.env.example')
  const named = Object.keys(parseEnv(text.replaceAll(/^# (?=[A-Z_]+=)/gm, '')))
  const known = [...(await documented('## The environment')), 'DEV_PRIVATE_KEY']
  expect(named.filter((name) => !known.includes(name))).toEqual([])
  const loaded = await load({ 'config/config.json': await example('config.example.json') }, parseEnv(text))
  expect(loaded.relayers.map(({ id }) => id)).toEqual(['local'])
})
