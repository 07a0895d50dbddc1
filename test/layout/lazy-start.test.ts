// The service starts without the command line's code, and the command line without the service's.
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { codeOf } from './source.ts'

const root = join(import.meta.dirname, '../../src')
const statically = /(?:^|[;\n])\s*(?:import|export)\s+(?!type\b)(?:[\w$*{][^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]/g

/** The files and packages that a file loads at its start. */
function loadedBy(file: string): ReadonlySet<string> {
  const loaded = new Set([file])
  for (const path of loaded) {
    const full = join(root, path)
    if (!path.endsWith('.ts') || !existsSync(full)) continue
    for (const [, specifier = ''] of codeOf(readFileSync(full, 'utf8')).matchAll(statically)) {
      loaded.add(specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier)
    }
  }
  return loaded
}

test('the process loads nothing before it has checked its Node and its arguments', () => {
  expect([...loadedBy('main.ts')]).toEqual(['main.ts'])
  expect([...loadedBy('arguments.ts')]).toEqual(['arguments.ts', 'node:util'])
})

test('the service loads no command', () => {
  const loaded = [...loadedBy('serve.ts')]
  expect(loaded.length).toBeGreaterThan(100)
  expect(loaded.filter((path) => /^(?:cli|client)\/|^commander$/.test(path))).toEqual([])
})

test('the service loads no client of a key service before a signer needs it', () => {
  const loaded = [...loadedBy('serve.ts')]
  expect(loaded).toContain('signers/open-key-service.ts')
  const clients =
    /^(?:@aws-sdk|google-auth-library|pkcs11js|signers\/(?:aws|azure|cdp|exchange|google|pkcs11|turnkey|vault|web3))/
  expect(loaded.filter((path) => clients.test(path))).toEqual([])
})

test('a command loads commander, the client, the shared words, and of the service amounts and absent members alone', () => {
  const loaded = [...loadedBy('cli/run.ts')].filter((path) => !/^(?:cli|client|words|ops)\/|^node:/.test(path))
  expect(loaded.sort()).toEqual(['commander', 'domain/defined.ts', 'domain/shown-amount.ts', 'uuid'])
})
