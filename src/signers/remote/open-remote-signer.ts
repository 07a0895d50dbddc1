// Opens a signer over a key service: pins the key, checks its address, and lets it sign a text once. A service that
// can't be reached now does not stop the process.
import { keccak256, stringToHex } from 'viem/utils'
import type { Address } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { SignerMetrics } from '../../ops/metrics.ts'
import { SignerError } from '../../ops/operator-error.ts'
import type { Random } from '../../ops/random.ts'
import type { Curve } from '../curve.ts'
import { codesThatAre } from '../failure-table.ts'
import { type KeyService, KeyServiceError } from '../key-service.ts'
import { statementBytes } from '../sign-statement.ts'
import { assemble, unsignedBytes } from '../sign-unsigned.ts'
import { type RemoteKey, type Signer, type SignerProbe, SignerUnavailable, type SigningRequest } from '../signer.ts'
import { keyCaller } from './call-key.ts'
import { guardKey, type KeyGuard } from './guard-key.ts'
import { asKeyServiceError, lasts } from './key-errors.ts'
import { keyPin } from './pin-key.ts'
import type { QuotaQueues } from './quota-queue.ts'

export interface RemoteContext {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: SignerMetrics
  readonly curve: Curve
  readonly quotas: QuotaQueues
  /** The address of the relayers that are stored with this signer. */
  readonly storedAddress: (signerId: string) => Promise<Address | undefined>
}

export interface RemoteSettings {
  readonly id: string
  readonly service: KeyService
  /** The address that the operator expects. */
  readonly address?: Address
  /** The signer was opened before, so that even a permanent failure only makes it unavailable. */
  readonly wasOpen?: boolean
}

/** A key may be readable, and its use forbidden. The text begins with 0x19, as no transaction does. */
const probeText = stringToHex('\x19Rescind:\nthis signature shows that the key can be used')
const probe = { digest: keccak256(probeText), preimage: probeText }
const statementLimitMs = 10_000

/** A signer whose key service has not answered since the process started, while nothing shows its address. */
export interface AwaitedSigner {
  readonly id: string
  /** The key service's code or ours. */
  code(): string
  /** The signer, once its key service answers or its address is stored. Undefined before. Rejects if the store does. */
  tryAgain(): Promise<Signer | undefined>
  close(): Promise<void>
}

/** Opens a signer like `openOrAwait`, and throws SignerError for one that would be awaited. Tries a refusal only once. */
export async function openRemoteSigner(settings: RemoteSettings, context: RemoteContext): Promise<Signer> {
  const opened = await openKey(settings, context, lasts)
  if ('address' in opened) return opened
  await opened.close()
  throw new SignerError(
    `signer "${settings.id}": its key service does not answer (${opened.code()}), and no relayer is stored that shows its address; try again once it answers, or set "address" beside the signer's "type"`,
  )
}

/**
 * Throws SignerError for a wrong key, and for any permanent failure of a signer that no relayer is stored with: it has never
 * worked. One that has worked is unavailable instead. Where nothing shows the address, the signer is awaited.
 */
export function openOrAwait(settings: RemoteSettings, context: RemoteContext): Promise<Signer | AwaitedSigner> {
  return openKey(settings, context, (error) => isFinal(error, settings.service))
}

/** `isFinal`: another try at the start would be in vain, or is not free. */
async function openKey(
  settings: RemoteSettings,
  context: RemoteContext,
  isFinal: (error: KeyServiceError) => boolean,
): Promise<Signer | AwaitedSigner> {
  const { id, service } = settings
  const { clock, log, metrics } = context
  let stored = await context.storedAddress(id)
  const pin = keyPin(service, clock, (address) => refusalOf(address, settings.address, stored))
  const guard = guardKey(id, clock, log, metrics)
  const queue = context.quotas(service.quotaDomain, service.quota)
  const sign = keyCaller({ ...context, id, service, pin, guard, queue })
  const remote = { groupMax: groupMax(service), isAvailable: () => !guard.isOpen(), outage: guard.outage }
  const close = () => closeService(id, service, log)
  const probing = service.canProbe && { probe: () => probed(service, sign, clock) }
  const signerOf = (address: Address) => ({ ...signerOver(address, sign, remote, { clock, close }), ...probing })
  let expected = settings.address ?? stored
  const openOnce = async () => {
    const { address } = await pin()
    expected = address
    if (service.canProbe) await sign(probe, statementRequest(clock))
    return signerOf(address)
  }
  try {
    // With a known address the process need not wait: the signer's next call pins its key.
    if (expected) return await openOnce()
    // So it is once the key was read, and its first signature fails for a moment.
    const isLast = (error: KeyServiceError) => isFinal(error) || (expected !== undefined && !lasts(error))
    return await openPatiently(openOnce, { clock, guard, isLast })
  } catch (cause) {
    const error = keyServiceErrorOf(cause)
    if (!error) throw cause
    const wasOpen = settings.wasOpen || (stored !== undefined && !ofKeyItself.includes(error.code))
    if (lasts(error) && !(wasOpen && (settings.address ?? stored))) {
      await close()
      throw new SignerError(`signer "${id}": ${error.message} (${error.code})`)
    }
    guard.startsUnavailable(error)
    if (expected) return signerOf(expected)
    let { code } = error
    return {
      id,
      close,
      code: () => code,
      async tryAgain() {
        // Another replica may have reached it.
        stored = await context.storedAddress(id)
        if (stored) return signerOf(stored)
        const reached = service.canProbe ? () => sign(probe, statementRequest(clock)) : () => guarded(guard, clock, pin)
        try {
          await reached()
          return signerOf((await pin()).address)
        } catch (failure) {
          code = keyServiceErrorOf(failure)?.code ?? code
          return undefined
        }
      },
    }
  }
}

/** A key that signs nothing before somebody approves it shows by its public key alone that its service answers. */
async function guarded<T>(guard: KeyGuard, clock: Clock, pin: () => Promise<T>): Promise<T> {
  return guard.through(clock.elapsed(), async () => {
    const begunMs = clock.elapsed()
    try {
      const pinned = await pin()
      guard.signed()
      return pinned
    } catch (cause) {
      guard.failed(asKeyServiceError(cause), clock.elapsed() - begunMs)
      throw cause
    }
  })
}

/** No outage: the key or its setting is another one than before. */
const ofKeyItself = codesThatAre('otherKey')

const finalCodes = [...ofKeyItself, ...codesThatAre('once')]

function isFinal(error: KeyServiceError, { countsLogins }: KeyService): boolean {
  return finalCodes.includes(error.code) || (countsLogins === true && error.kind === 'permanent')
}

const startPatienceMs = 8_000
const startPauseMs = 500

interface Patience {
  readonly clock: Clock
  readonly guard: KeyGuard
  readonly isLast: (error: KeyServiceError) => boolean
}

/** Whatever is refused may be so for a moment, just when a process starts. Throws as `open` does. */
async function openPatiently<T>(open: () => Promise<T>, { clock, guard, isLast }: Patience): Promise<T> {
  const untilMs = clock.elapsed() + startPatienceMs
  for (;;) {
    try {
      return await open()
    } catch (cause) {
      const error = keyServiceErrorOf(cause)
      const retryAt = guard.outage()?.retryAt
      const pauseMs = Math.max(startPauseMs, retryAt === undefined ? 0 : retryAt - clock.now())
      if (!error || isLast(error) || clock.elapsed() + pauseMs >= untilMs) throw cause
      await clock.sleep(pauseMs)
    }
  }
}

/** The process or another signer goes on, whatever becomes of the connection. */
async function closeService(id: string, service: KeyService, log: Logger): Promise<void> {
  try {
    await service.close?.()
  } catch (err) {
    log.warn({ err, signer: id }, 'the connection to a key service did not end in order')
  }
}

/**
 * The signatures that the quota admits in a quarter of a second: later requests of a higher priority do not wait long behind
 * them.
 */
function groupMax({ quota }: KeyService): number {
  return Math.min(64, Math.max(2, Math.floor(quota.perSecond / 4)))
}

function refusalOf(address: Address, given: Address | undefined, stored: Address | undefined): string | undefined {
  if (given && given.toLowerCase() !== address.toLowerCase()) {
    return `its key is of ${address}, and its "address" is ${given}; correct the key or the address`
  }
  if (stored && stored.toLowerCase() !== address.toLowerCase()) {
    return `its key is of ${address}, and its relayer was stored with ${stored}; name the earlier key, or give the new key a signer id of its own`
  }
  return undefined
}

function keyServiceErrorOf(error: unknown): KeyServiceError | undefined {
  if (error instanceof KeyServiceError) return error
  return error instanceof SignerUnavailable && error.cause instanceof KeyServiceError ? error.cause : undefined
}

function statementRequest(clock: Clock): SigningRequest {
  return { priority: 'statement', deadline: clock.now() + statementLimitMs }
}

async function probed(service: KeyService, sign: Sign, clock: Clock): Promise<SignerProbe> {
  const begunMs = clock.elapsed()
  const { keyVersion } = await sign(probe, statementRequest(clock))
  const latencyMs = clock.elapsed() - begunMs
  const [tokenEndsInMs, clockAheadMs] = [service.tokenEndsInMs?.(), service.clockAheadMs?.()]
  return {
    ...{ keyVersion, latencyMs },
    ...(tokenEndsInMs !== undefined && { tokenEndsInMs }),
    ...(clockAheadMs !== undefined && { clockAheadMs }),
  }
}

type Sign = ReturnType<typeof keyCaller>

function signerOver(
  address: Address,
  sign: Sign,
  remote: RemoteKey,
  { clock, close }: { readonly clock: Clock; readonly close: () => Promise<void> },
): Signer {
  return {
    address,
    remote,
    close,
    async sign(unsigned, request) {
      const preimage = unsignedBytes(unsigned)
      const { signature } = await sign({ digest: keccak256(preimage), preimage }, request)
      return assemble(unsigned, preimage, signature)
    },
    async signStatement(statement) {
      const preimage = statementBytes(statement)
      const { signature } = await sign({ digest: keccak256(preimage), preimage }, statementRequest(clock))
      const { r, s, yParity } = signature
      return { r, s, v: 27 + yParity }
    },
  }
}
