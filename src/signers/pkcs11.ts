// Signs with a key in a hardware security module, over PKCS#11. The vendor's library blocks, so it runs in a thread of its
// own: a token that hangs holds up nothing else.
import { hash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Hex } from '../domain/ids.ts'
import type { Clock } from '../ops/clock.ts'
import { waitBriefly } from '../ops/within.ts'
import { importOptional } from './import-optional.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import { pinCodes } from './pin-codes.ts'
import type { Pkcs11Settings } from './settings.ts'

/** The thread signs one after the other; a token decides how fast. */
const quota = { perSecond: 500, concurrency: 4 }
/** For a token that hangs. */
const endWithinMs = 1_000

export interface TokenSettings {
  readonly module: string
  readonly tokenLabel: string
  readonly pin: string
}

export type TokenRequest =
  | { readonly id: number; readonly operation: 'open'; readonly keyLabel: string }
  | { readonly id: number; readonly operation: 'sign'; readonly keyLabel: string; readonly digest: Hex }

/** Ends its session, and with the last session of the process the login. */
export const endOfThread = 'end'

interface Failure {
  readonly message: string
  readonly kind: KeyServiceError['kind']
  readonly code: string
}

/** `bytes`: the public key or the signature. */
export type TokenReply =
  | { readonly id: number; readonly bytes: Hex; readonly keyId: string }
  | { readonly id: number; readonly failure: Failure }

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never

interface TokenThread {
  call(request: Unnumbered<TokenRequest>, signal: AbortSignal): Promise<{ readonly bytes: Hex; readonly keyId: string }>
  end(): Promise<void>
  users: number
}

/** By library, token and PIN. Sessions of one process share the login, so a wrong PIN is tried once for all its keys. */
const threads = new Map<string, TokenThread>()
/** By a digest of library, token and PIN. It outlives the threads: a signer that is created again tries no PIN again. */
const refusedPins = new Map<string, Failure>()

/** Throws SignerError if pkcs11js is not installed. */
export async function openPkcs11(
  settings: Pkcs11Settings & { readonly id: string },
  { clock }: { readonly clock: Clock },
  load: () => Promise<unknown> = () => import('pkcs11js'),
): Promise<KeyService> {
  await importOptional(settings, 'pkcs11js', '^2.1.7', load)
  const { module, tokenLabel, keyLabel } = settings
  const token = { module, tokenLabel, pin: settings.pin.reveal() }
  const name = JSON.stringify(token)
  const thread = threads.get(name) ?? startThread(token, clock)
  threads.set(name, thread)
  thread.users += 1
  return {
    quotaDomain: `pkcs11:${module}:${tokenLabel}`,
    quota,
    canProbe: true,
    async open(signal) {
      const { bytes, keyId } = await thread.call({ operation: 'open', keyLabel }, signal)
      return { publicKey: bytes, keyVersion: `${tokenLabel}/${keyLabel}/${keyId}` }
    },
    async sign({ digest }, signal) {
      const { bytes } = await thread.call({ operation: 'sign', keyLabel, digest }, signal)
      return { encoding: 'compact', bytes }
    },
    async close() {
      thread.users -= 1
      if (thread.users > 0) return
      threads.delete(name)
      await thread.end()
    },
  }
}

function digestOf(token: TokenSettings): string {
  return hash('sha256', JSON.stringify(token))
}

function startThread(token: TokenSettings, clock: Clock): TokenThread {
  // The built package holds the same file as JavaScript.
  const file = import.meta.url.endsWith('.ts') ? './pkcs11-thread.ts' : './pkcs11-thread.js'
  // Flags of the process that are not for threads would end it.
  const worker = new Worker(new URL(file, import.meta.url), { workerData: token, execArgv: [] })
  const digest = digestOf(token)
  const waiting = new Map<number, (reply: TokenReply) => void>()
  let last = 0
  worker.on('message', (reply: TokenReply) => {
    if ('failure' in reply && pinCodes.includes(reply.failure.code)) refusedPins.set(digest, reply.failure)
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  /** No other thread takes its place: it would try a PIN again that this one tried. */
  let failed = refusedPins.get(digest)
  const fail = (code: string) => {
    failed ??= { message: 'the thread of the token ended; restart the service', kind: 'permanent', code }
    for (const [id, answer] of waiting) answer({ id, failure: failed })
    waiting.clear()
  }
  worker.on('error', () => fail('THREAD_FAILED'))
  worker.on('exit', () => fail('THREAD_ENDED'))
  // A token that hangs does not keep the process from ending.
  worker.unref()
  return {
    users: 0,
    async call(request, signal) {
      if (failed) throw new KeyServiceError(failed.message, failed)
      const { promise, resolve, reject } = Promise.withResolvers<TokenReply>()
      last += 1
      const id = last
      const abort = () => reject(new KeyServiceError('the try was aborted', { kind: 'transient', code: 'ABORTED' }))
      if (signal.aborted) abort()
      signal.addEventListener('abort', abort, { once: true })
      waiting.set(id, resolve)
      worker.postMessage({ ...request, id })
      try {
        const reply = await promise
        if ('failure' in reply) throw new KeyServiceError(reply.failure.message, reply.failure)
        return reply
      } finally {
        signal.removeEventListener('abort', abort)
        waiting.delete(id)
      }
    },
    async end() {
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      worker.once('exit', () => resolve())
      worker.postMessage(endOfThread)
      await waitBriefly(clock, endWithinMs, () => ended)
      // It ends at its next step; a call of the library can't be broken off.
      void worker.terminate()
    },
  }
}
