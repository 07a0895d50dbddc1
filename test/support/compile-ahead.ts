// Fills the compile cache before services start: they are killed as a rule, and then leave nothing in it.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const everything = new URL('../../src/serve.ts', import.meta.url)

export default async function setUp(): Promise<void> {
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', `await import('${everything}')`])
}
