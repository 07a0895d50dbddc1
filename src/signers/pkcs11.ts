// Signs with a key in a hardware security module, over PKCS#11. The vendor's library runs in a child process.
import { hash } from 'node:crypto'
import type { Clock } from '../ops/clock.ts'
import { importOptional } from './import-optional.ts'
import { unlessAborted } from './keep-token.ts'
import { type KeyService, KeyServiceError } from './key-service.ts'
import { pinRecord } from './pkcs11-pins.ts'
import { type ModuleProcess, moduleProcess, type TokenAccess } from './pkcs11-process.ts'
import type { Pkcs11Settings } from './settings.ts'

/** A token decides how fast it signs. */
const perSecond = 500
/**
 * Places of a token: its signatures at once. The quota leaves a fifth to cancellations, which therefore need not wait for a free one.
 */
const placesMax = 5
/** Five signatures of this length, one after the other, keep the limit of a try. A slower token gets one place. */
const slowMs = 400

interface SharedModule {
  readonly process: ModuleProcess
  users: number
}

interface TokenLoad {
  /** One until a signature shows that the token is fast. */
  places: number
  /** Signatures that the library has begun or will begin. */
  inUse: number
  /** Resolves when one of them ends. */
  oneEnds: PromiseWithResolvers<void>
}

/** The processes of libraries, by path. Signers of one library share its process. */
const modules = new Map<string, SharedModule>()
/** Accesses by a digest of library, token and PIN, for the life of the process. */
const accesses = new Map<string, TokenAccess>()
/** The loads of tokens by quota domain, for the life of the process, as their queues. */
const loads = new Map<string, TokenLoad>()

/** Throws SignerError if pkcs11js is not installed. */
export async function openPkcs11(
  settings: Pkcs11Settings & { readonly id: string },
  { clock }: { readonly clock: Clock },
  load: () => Promise<unknown> = () => import('pkcs11js'),
): Promise<KeyService> {
  await importOptional(settings, 'pkcs11js', '^2.1.7', load)
  const { module, tokenLabel, keyLabel } = settings
  const access = accessTo(module, tokenLabel, settings.pin.reveal())
  const quotaDomain = `pkcs11:${module}:${tokenLabel}`
  const token = loadOf(quotaDomain)
  const quota = {
    perSecond,
    get concurrency() {
      return token.places
    },
  }
  const shared = modules.get(module) ?? { process: moduleProcess(module, allPins, clock), users: 0 }
  modules.set(module, shared)
  shared.users += 1
  return {
    quotaDomain,
    quota,
    canProbe: true,
    async open(signal) {
      const opening = shared.process.call(access, { operation: 'open', keyLabel })
      const { bytes, keyId } = await unlessAborted(opening, signal, aborted)
      return { publicKey: bytes, keyVersion: `${tokenLabel}/${keyLabel}/${keyId}` }
    },
    /** Signatures that nobody waits for may still be under way. A caller that gives up meanwhile has begun none. */
    async ready(signal) {
      while (token.inUse >= token.places) await unlessAborted(token.oneEnds.promise, signal)
    },
    async sign({ digest }, signal) {
      if (signal.aborted) throw aborted()
      token.inUse += 1
      const { inUse } = token
      const begunMs = clock.elapsed()
      const signing = shared.process.call(access, { operation: 'sign', keyLabel, digest })
      const measure = () => {
        // As if the token signed one after the other.
        token.places = (clock.elapsed() - begunMs) / inUse > slowMs ? 1 : placesMax
      }
      void signing.then(measure, () => undefined).then(() => release(token))
      return { encoding: 'compact', bytes: (await unlessAborted(signing, signal, aborted)).bytes }
    },
    async close() {
      shared.users -= 1
      if (shared.users > 0) return
      modules.delete(module)
      await shared.process.end()
    },
  }
}

function accessTo(module: string, label: string, pin: string): TokenAccess {
  const digest = hash('sha256', JSON.stringify([module, label, pin]))
  const access = accesses.get(digest) ?? { number: accesses.size, label, pin, record: pinRecord(digest) }
  accesses.set(digest, access)
  return access
}

function loadOf(quotaDomain: string): TokenLoad {
  const load = loads.get(quotaDomain) ?? { places: 1, inUse: 0, oneEnds: Promise.withResolvers<void>() }
  loads.set(quotaDomain, load)
  return load
}

function allPins(): readonly string[] {
  return [...accesses.values()].map(({ pin }) => pin)
}

function release(token: TokenLoad): void {
  token.inUse -= 1
  token.oneEnds.resolve()
  token.oneEnds = Promise.withResolvers()
}

function aborted(): KeyServiceError {
  return new KeyServiceError('the try was aborted', { kind: 'transient', code: 'ABORTED' })
}
