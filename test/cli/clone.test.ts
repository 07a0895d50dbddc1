// A clone of the repository, started by a Node that runs no TypeScript, such as one that was there before `npm ci`.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const cwd = fileURLToPath(new URL('../..', import.meta.url))

test.each(['start', 'demo'] as const)('npm run %s says in a sentence what to do', async (name) => {
  const [, args = ''] = /^(?:exec )?node (.+)$/.exec(manifest.scripts[name]) ?? []
  // A later Node without its support of TypeScript fails as Node 20 does.
  const starting = promisify(execFile)(process.execPath, ['--no-experimental-strip-types', ...args.split(' ')], { cwd })
  const ended = await starting.catch((error: unknown) => error)
  const found = process.versions.node
  expect(ended).toMatchObject({
    code: 1,
    stderr: `a clone of rescind needs Node 22.18 or later, and this is ${found}; run: npm ci, which brings one\n`,
  })
})
