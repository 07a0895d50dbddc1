// A token of SoftHSM with a key of secp256k1, made with OpenSC's tool: PKCS#11 as it is, without hardware.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Hex } from 'viem'
import { pemOf } from './served-key.ts'

const run = promisify(execFile)

const environment: { readonly PATH?: string } = process.env
const modules = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so']
const addon = fileURLToPath(new URL('../../node_modules/pkcs11js/build/Release/pkcs11.node', import.meta.url))
const tools = ['softhsm2-util', 'pkcs11-tool']

export interface SoftHsm extends AsyncDisposable {
  readonly module: string
  /** SOFTHSM2_CONF must name it in the process that signs. */
  readonly configFile: string
  readonly tokenLabel: string
  readonly pin: string
  createKey(label: string, id: string, curve?: string): Promise<void>
  /** A key that others have, too. */
  importKey(label: string, id: string, key: Hex): Promise<void>
  changePin(from: string, to: string): Promise<void>
}

/** Why there is no SoftHSM here; undefined where there is one. */
export function whyNoSoftHsm(): string | undefined {
  const folders = (environment.PATH ?? '').split(':')
  const missing = tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
  if (!modules.some((each) => existsSync(each)) || missing.length > 0) {
    return 'SoftHSM is not installed; run: apt-get install softhsm2 opensc'
  }
  // npm ci does not compile it, so that it needs no compiler.
  return existsSync(addon) ? undefined : 'pkcs11js is not compiled; run: tooling/compile-pkcs11'
}

export async function startSoftHsm(): Promise<SoftHsm> {
  const module = modules.find((each) => existsSync(each)) ?? ''
  const folder = await mkdtemp(join(tmpdir(), 'rescind-hsm-'))
  const configFile = join(folder, 'softhsm2.conf')
  await writeFile(configFile, `directories.tokendir = ${folder}\nobjectstore.backend = file\nlog.level = ERROR\n`)
  const env = { ...process.env, SOFTHSM2_CONF: configFile }
  // So long that no other text holds it by chance.
  const [tokenLabel, pin] = ['relayers', 'pin-246802']
  const initialize = ['--init-token', '--free', '--label', tokenLabel, '--pin', pin, '--so-pin', '13579']
  await run('softhsm2-util', initialize, { env })
  return {
    ...{ module, configFile, tokenLabel, pin },
    async createKey(label, id, curve = 'secp256k1') {
      const login = ['--module', module, '--token-label', tokenLabel, '--login', '--pin', pin]
      await run('pkcs11-tool', [...login, '--keypairgen', '--key-type', `EC:${curve}`, '--label', label, '--id', id], {
        env,
      })
    },
    async importKey(label, id, key) {
      const file = join(folder, `${label}.pem`)
      await writeFile(file, pemOf(key))
      await run(
        'softhsm2-util',
        ['--import', file, '--token', tokenLabel, '--label', label, '--id', id, '--pin', pin],
        { env },
      )
    },
    async changePin(from, to) {
      const token = ['--module', module, '--token-label', tokenLabel, '--login', '--pin', from]
      await run('pkcs11-tool', [...token, '--change-pin', '--new-pin', to], { env })
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
