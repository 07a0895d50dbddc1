// A sealed text opens with its key, in its place, unchanged; with anything else the refusal says what to set.
import { expect, test } from 'vitest'
import { systemRandom } from '../../src/ops/random.ts'
import { secret } from '../../src/ops/secret.ts'
import { openVault } from '../../src/ops/vault.ts'

const keyOf = (byte: number) => secret(Buffer.alloc(32, byte).toString('base64'))
const text = 'a text of more than one block, with letters beyond ASCII: ü€'
const place = 'signer "one"'

function vaultOf(current: number | undefined, ...previous: number[]) {
  const keys = { ...(current !== undefined && { current: keyOf(current) }), previous: previous.map(keyOf) }
  return openVault(keys, systemRandom())
}

test('a sealed text differs each time, holds nothing of the text, and opens again', () => {
  const vault = vaultOf(1)
  const [one, other] = [vault.seal(text, place), vault.seal(text, place)]
  expect(one).not.toBe(other)
  expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('block')
  expect(vault.open(one, place).reveal()).toBe(text)
  expect(String(vault.open(one, place))).toBe('[secret]')
})

test('it opens in no other place, and not when a bit of it changed', () => {
  const vault = vaultOf(1)
  const sealed = vault.seal(text, place)
  expect(() => vault.open(sealed, 'signer "two"')).toThrow(/signer "two" does not open with key .*changed or moved/)
  const [version, id, body] = sealed.split('.')
  const bytes = Buffer.from(body ?? '', 'base64url')
  for (const at of [0, 12, bytes.length - 1]) {
    const spoiled = Buffer.from(bytes)
    spoiled[at] = (spoiled[at] ?? 0) ^ 1
    expect(() => vault.open(`${version}.${id}.${spoiled.toString('base64url')}`, place)).toThrow('changed or moved')
  }
  for (const nothing of [`${version}.${id}.`, `${version}.${id}`]) {
    expect(() => vault.open(nothing, place)).toThrow('changed or moved')
  }
})

test('a previous key still opens, and its texts are recognized', () => {
  const old = vaultOf(1).seal(text, place)
  const vault = vaultOf(2, 1)
  expect(vault.open(old, place).reveal()).toBe(text)
  expect(vault.isCurrent(old)).toBe(false)
  expect(vault.isCurrent(vault.seal(text, place))).toBe(true)
})

test('without its key it stays shut, and the refusal names row, key and variable, and shows none', () => {
  const sealed = vaultOf(1).seal(text, place)
  const keyId = sealed.split('.')[1]
  expect(() => vaultOf(undefined).open(sealed, place)).toThrow(
    `signer "one" is sealed in the database under key ${keyId}, and STORAGE_ENCRYPTION_KEY is not set; set it to that key`,
  )
  expect(() => vaultOf(2).open(sealed, place)).toThrow(
    /add that key to STORAGE_ENCRYPTION_KEYS_PREVIOUS, or put it back/,
  )
  expect(vaultOf(undefined).canSeal).toBe(false)
})
