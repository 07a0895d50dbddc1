// The script of docs/testing.md, run as it stands there, but for its ports: a client's CI runs it beside the packed package.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { freePort } from '../../tooling/free-port.ts'

const resolve = createRequire(import.meta.url).resolve

test('the script sends, cancels, and ends with 0', async () => {
  const page = await readFile('docs/testing.md', 'utf8')
  const script = /```sh\n([^`]*)```/.exec(page)?.[1] ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'rescind-testing-'))
  try {
    const bin = join(folder, 'node_modules/.bin')
    await mkdir(bin, { recursive: true })
    const main = join(inject('packed'), 'dist/main.js')
    await chmod(main, 0o755)
    await symlink(process.execPath, join(bin, 'node'))
    await symlink(main, join(bin, 'rescind'))
    await symlink(join(dirname(resolve('@foundry-rs/anvil/package.json')), '../../.bin/anvil'), join(bin, 'anvil'))
    const ports = await Promise.all([freePort(), freePort(), freePort()])
    const moved = ['18545', '18080', '18081'].reduce(
      (text, port, at) => text.replaceAll(port, String(ports[at])),
      script,
    )
    await writeFile(join(folder, 'try.sh'), moved)
    const { stdout } = await promisify(execFile)('sh', ['try.sh'], { cwd: folder })
    expect(stdout).toMatch(/^confirmed +0x/m)
    expect(stdout).toMatch(/^verdict +(won|lost), final$/m)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
