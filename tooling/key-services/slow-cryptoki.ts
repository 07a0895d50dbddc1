// Compiles slow-cryptoki.c, and says how it behaves: a PKCS#11 library that is slow, fails or hangs.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

interface Behavior {
  readonly signMs?: number
  /** It signs one after the other, whatever the number of sessions. */
  readonly isSerial?: boolean
  readonly hangs?: boolean
  readonly login?: 'hangs' | 'crashes'
  /** Its session is dead from now on, until this call. */
  readonly deadUntil?: 'C_Logout' | 'C_Finalize'
  /** It shows no CKA_EC_PARAMS: CKR_ATTRIBUTE_SENSITIVE. */
  readonly isSensitive?: boolean
  /** Its first slot has the label of the next one, and opens no session. */
  readonly hasBrokenSlot?: boolean
}

export interface SlowCryptoki extends AsyncDisposable {
  readonly module: string
  /** For the process that loads it. */
  readonly env: Readonly<Record<string, string>>
  behave(behavior: Behavior): Promise<void>
  /** Its calls in their order, each with the number of signatures under way. */
  calls(): Promise<readonly string[]>
}

/** Why it can't be compiled here; undefined where it can. */
export function whyNoCompiler(): string | undefined {
  return existsSync('/usr/bin/cc') ? undefined : 'there is no C compiler; run: apt-get install gcc'
}

/** `real`: the library that signs. */
export async function startSlowCryptoki(real: string): Promise<SlowCryptoki> {
  const folder = await mkdtemp(join(tmpdir(), 'rescind-cryptoki-'))
  const [module, controlFile] = [join(folder, 'slow-cryptoki.so'), join(folder, 'control')]
  const source = fileURLToPath(new URL('./slow-cryptoki.c', import.meta.url))
  await run('cc', ['-shared', '-fPIC', '-O1', '-o', module, source, '-ldl', '-lpthread'])
  let deaths = 0
  return {
    module,
    env: { CRYPTOKI_CONTROL: controlFile, CRYPTOKI_REAL: real },
    async behave({ signMs = 0, login, deadUntil, ...is }) {
      if (deadUntil) deaths += 1
      const logins = login === undefined ? 0 : login === 'hangs' ? 1 : 2
      const kind = deadUntil === 'C_Logout' ? 1 : 2
      const flags = [is.isSerial, is.hangs, is.isSensitive, is.hasBrokenSlot].map((flag) => (flag ? 1 : 0))
      await writeFile(controlFile, [signMs, ...flags, logins, deaths, kind].join(' '))
    },
    calls: async () => {
      const log = existsSync(`${controlFile}.log`) ? await readFile(`${controlFile}.log`, 'utf8') : ''
      return log.split('\n').filter((line) => line !== '')
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
