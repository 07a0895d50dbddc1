// Opens a signer over a key service: pins the key, checks its address, and lets it sign a text once. A service that
// can't be reached now does not stop the process.
import { keccak256, stringToHex } from 'viem/utils'
import type { Address } from '../../domain/ids.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'
import type { SignerMetrics } from '../../ops/metrics.ts'
import type { Random } from '../../ops/random.ts'
import type { Curve } from '../curve.ts'
import { type KeyService, KeyServiceError } from '../key-service.ts'
import { statementBytes } from '../sign-statement.ts'
import { assemble, unsignedBytes } from '../sign-unsigned.ts'
import { type RemoteKey, type Signer, SignerUnavailable, type SigningRequest } from '../signer.ts'
import { SignerError } from '../signer-error.ts'
import { keyCaller } from './call-key.ts'
import { guardKey } from './guard-key.ts'
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
  /** It was opened before, so that even a permanent failure only makes it unavailable. */
  readonly wasOpen?: boolean
}

/** A key may be readable, and its use forbidden. The text begins with 0x19, as no transaction does. */
const probeText = stringToHex('\x19Rescind:\nthis signature shows that the key can be used')
const probe = { digest: keccak256(probeText), preimage: probeText }
const statementLimitMs = 10_000

/** Throws SignerError, if only an operator can help: for a wrong key, or an address that nothing shows. */
export async function openRemoteSigner(settings: RemoteSettings, context: RemoteContext): Promise<Signer> {
  const { id, service } = settings
  const { clock, log, metrics } = context
  const stored = await context.storedAddress(id)
  const expected = settings.address ?? stored
  const pin = keyPin(service, clock, (address) => refusalOf(address, settings.address, stored))
  const guard = guardKey(id, clock, log, metrics)
  const queue = context.quotas(service.quotaDomain, service.quota)
  const sign = keyCaller({ ...context, id, service, pin, guard, queue })
  const remote = { groupMax: groupMax(service), isAvailable: () => !guard.isOpen(), outage: guard.outage }
  const close = () => closeService(id, service, log)
  const options = { clock, close }
  try {
    const { address } = await pin()
    if (service.canProbe) await sign(probe, statementRequest(clock))
    return signerOver(address, sign, remote, options)
  } catch (cause) {
    const error = keyServiceErrorOf(cause)
    if (!error) throw cause
    if (error.kind === 'permanent' && !(settings.wasOpen && expected)) {
      await close()
      throw new SignerError(`signer "${id}": ${error.message} (${error.code})`)
    }
    if (!expected) {
      await close()
      throw new SignerError(
        `signer "${id}": its key service does not answer (${error.code}), and no relayer is stored that shows its address; start again once it answers, or set "address" beside the signer's "type"`,
      )
    }
    guard.startsUnavailable(error)
    return signerOver(expected, sign, remote, options)
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

/** What the quota admits in a quarter of a second: later requests of a higher priority do not wait long behind it. */
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
      const { signature, evidence } = await sign({ digest: keccak256(preimage), preimage }, request)
      return { ...assemble(unsigned, signature), evidence }
    },
    async signStatement(statement) {
      const preimage = statementBytes(statement)
      const { signature, evidence } = await sign({ digest: keccak256(preimage), preimage }, statementRequest(clock))
      const { r, s, yParity } = signature
      return { signature: { r, s, v: 27 + yParity }, evidence }
    },
  }
}
