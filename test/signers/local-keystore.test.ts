// Keystore files: the vectors of the Web3 Secret Storage definition, a round trip, and every refusal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { Keystore } from 'ox'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SignerError } from '../../src/ops/operator-error.ts'
import { openLocalSigner } from '../../src/signers/local-keystore.ts'
import { curve } from './workplace.ts'

const secret = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const passphrase = 'testpassword'

const pbkdf2Vector = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

const scryptVector = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      p: 8,
      r: 1,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rescind-keys-'))
})

afterAll(() => rm(directory, { recursive: true }))

async function open(content: unknown, passphraseGiven = passphrase) {
  const path = join(directory, 'key.json')
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return openLocalSigner('dev', path, passphraseGiven, curve)
}

test.each([
  ['pbkdf2', pbkdf2Vector],
  ['scrypt', scryptVector],
])('the vector of the definition opens: %s', async (_, vector) => {
  expect((await open(vector)).address).toBe(privateKeyToAddress(secret))
})

test.each([
  ['scrypt', () => Keystore.scrypt({ password: passphrase, n: 2, r: 8, p: 1 })],
  ['pbkdf2', () => Keystore.pbkdf2({ password: passphrase, iterations: 2 })],
])('a keystore that another tool writes opens: %s', async (_, derive) => {
  const [key, options] = derive()
  const keystore = Keystore.encrypt(secret, key, options)
  const address = privateKeyToAddress(secret)
  const opened = [
    await open(keystore),
    await open({ ...keystore, address: address.slice(2).toLowerCase() }),
    await open({ ...keystore, address }),
  ]
  for (const signer of opened) {
    expect(signer.address).toBe(address)
    // Nothing that holds the key can be reached from the signer.
    expect(inspect(signer, { showHidden: true, depth: null })).not.toContain(secret.slice(2, 20))
    expect(Object.keys(signer).sort()).toEqual(['address', 'sign', 'signStatement'])
  }
})

const small = smallKeystore()

function smallKeystore() {
  const [key, options] = Keystore.scrypt({ password: passphrase, n: 2, r: 8, p: 1 })
  return Keystore.encrypt(secret, key, options)
}
const withCrypto = (change: object) => ({ ...small, crypto: { ...small.crypto, ...change } })
const withKdf = (change: object) => withCrypto({ kdfparams: { ...small.crypto.kdfparams, ...change } })

test.each<[string, unknown, RegExp]>([
  ['text', 'not json', /is not a JSON object/],
  ['a list', [], /is not a JSON object/],
  ['another version', { ...small, version: 1 }, /is not of version 3/],
  ['no crypto', { version: 3 }, /has no "crypto" member/],
  ['another cipher', withCrypto({ cipher: 'aes-128-cbc' }), /not encrypted with aes-128-ctr/],
  ['no iv', withCrypto({ cipherparams: {} }), /has no initialization vector/],
  ['a short ciphertext', withCrypto({ ciphertext: 'abcd' }), /has no ciphertext of 32 bytes/],
  ['no mac', withCrypto({ mac: 7 }), /has no MAC/],
  ['another kdf', withCrypto({ kdf: 'argon2' }), /neither scrypt nor pbkdf2/],
  ['no salt', withKdf({ salt: undefined }), /has no salt/],
  ['a short key', withKdf({ dklen: 16 }), /not of 32 bytes/],
  ['n no power of two', withKdf({ n: 3 }), /scrypt parameters out of range/],
  ['n without end', withKdf({ n: 2 ** 40 }), /more than 1 GiB/],
  [
    'a count without end',
    withCrypto({ kdf: 'pbkdf2', kdfparams: { ...pbkdf2Vector.crypto.kdfparams, c: 1e9 } }),
    /PBKDF2 count/,
  ],
  ['a damaged ciphertext', withCrypto({ ciphertext: '00'.repeat(32) }), /does not open with the passphrase given/],
  ['another address', { ...small, address: '11'.repeat(20) }, /says it is for 0x1111.*, but holds the key of 0x/],
])('refused, with the reason: %s', async (_, content, message) => {
  const error = await open(content).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(SignerError)
  expect(String(error)).toMatch(message)
  expect(String(error)).toMatch(/signer "dev": keystore key\.json/)
  expect(inspect(error)).not.toContain(passphrase)
})

test('a wrong passphrase names the file, and neither its folder nor the passphrase', async () => {
  const error = await open(small, 'wrong-passphrase').catch((reason: unknown) => reason)
  expect(String(error)).toMatch(/signer "dev": keystore key\.json does not open with the passphrase given/)
  expect(inspect(error).split('\n')[0]).not.toMatch(/wrong-passphrase|rescind-keys/)
})

test('a file that is not there is named', async () => {
  const opening = openLocalSigner('dev', join(directory, 'none.json'), passphrase, curve)
  await expect(opening).rejects.toThrow(/keystore none\.json can't be read \(ENOENT\)/)
})
