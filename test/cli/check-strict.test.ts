// `rescind check --strict`: members that a start passes over are errors.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { env, rightFile } from '../config/workplace.ts'

async function check(directory: string, ...options: readonly string[]) {
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const around = { env, directory, stop: new AbortController().signal, stdout, stderr, stdin }
  const exit = await run(['check', '--json', ...options], around)
  stdout.end()
  return { exit, findings: JSON.parse(await text(stdout)) as { level: string; check: string; text: string }[] }
}

test('an unknown member is a warning, and with --strict an error', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rescind-strict-'))
  try {
    await mkdir(join(directory, 'config'))
    const [relayer] = rightFile().relayers
    const file = { ...rightFile(), relayers: [{ ...relayer, signer_id: 'raw', owner: 'payments' }] }
    await writeFile(join(directory, 'config/config.json'), JSON.stringify(file))
    const lenient = (await check(directory)).findings.filter((each) => each.text.includes('is no member of the file'))
    expect(lenient).toMatchObject([{ level: 'warning', text: expect.stringMatching(/^relayers\[0\]\.owner: /) }])
    const strict = await check(directory, '--strict')
    expect(strict.exit).toBe(1)
    expect(strict.findings).toMatchObject([{ level: 'error', check: 'relayers[0].owner' }])
  } finally {
    await rm(directory, { recursive: true })
  }
})
