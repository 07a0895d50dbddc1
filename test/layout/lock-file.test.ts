// What the lock file must hold so that `npm ci` works on a bare machine, whatever its npm.
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Locked {
  readonly resolved?: string
  readonly gypfile?: boolean
}

const packages = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8').then(
  (text) => (JSON.parse(text) as { packages: Record<string, Locked> }).packages,
)

// npm 10 reads the lock file instead of the package's own "gypfile": false, and would compile a prebuilt package.
test('better-sqlite3 is never compiled', () => {
  expect(packages['node_modules/better-sqlite3']?.gypfile).toBe(false)
})

// Only the tests of an HSM load it, and .ci/run compiles it for them: npm ci needs no compiler.
test('pkcs11js is not compiled by npm ci', () => {
  expect(packages['node_modules/pkcs11js']?.gypfile).toBe(false)
})

test('no entry names the host of a registry', () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
