// The limit is an option of V8, which another V8 may lack: then nothing but a line of standard error says so.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = fileURLToPath(new URL('../../src/ops/limit-heap-growth.ts', import.meta.url))

test('the V8 of this Node has the limit for the growth of its heap', async () => {
  const script = `import { limitHeapGrowth } from ${JSON.stringify(module)}; limitHeapGrowth()`
  const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  expect(ended).toEqual({ stdout: '', stderr: '' })
})
