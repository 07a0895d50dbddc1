// Opens the signers whose key services did not answer at start, as soon as they do: then their relayers are stored, and
// advance. Until then nothing of them is stored.
import { syncOpenedRelayers } from './commands/relayers/sync-configured-relayers.ts'
import { ConfigError } from './config/config-error.ts'
import { refusePublishedAccounts } from './config/published-account.ts'
import { refuseSharedAddresses } from './config/shared-address.ts'
import type { Clock } from './ops/clock.ts'
import { loggingOutage } from './ops/log-outage.ts'
import type { Logger } from './ops/logger.ts'
import { OperatorError } from './ops/operator-error.ts'
import type { Registry } from './registry/registry.ts'
import { type ParsedFile, registryFile } from './registry/registry-file.ts'
import type { AwaitedSigner } from './signers/remote/open-remote-signer.ts'
import type { Signer } from './signers/signer.ts'
import type { Store } from './store/store.ts'

export interface AwaitedSigners extends AsyncDisposable {
  /** Undefined for a relayer that is stored, or that the file does not name. */
  whyAwaited(relayer: string): string | undefined
  /** The code of the failure that keeps a signer from its first opening; undefined for one that has opened. */
  awaitedCode(signerId: string): string | undefined
}

export interface Awaiting {
  readonly awaited: readonly AwaitedSigner[]
  readonly parsed: ParsedFile
  /** Those of the file that are open, by id: another one is added when it opens. */
  readonly signers: Map<string, Signer>
  readonly registry: Pick<Registry, 'file' | 'admit'>
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  /** Called once relayers are stored. */
  readonly announce: () => void
}

/** The signer's breaker decides which of these tries calls its key service. */
const everyMs = 1_000

export function awaitSigners(given: Awaiting): AwaitedSigners {
  const { awaited, parsed, signers, registry, store, clock, logger, announce } = given
  const ended = new AbortController()
  /** Why relayers of an opened signer may not be stored, by signer, until the file or the key is corrected. */
  const problems = new Map<string, string>()
  let admitting = Promise.resolve()

  async function admit(id: string, signer: Signer): Promise<void> {
    if (ended.signal.aborted) return
    const file = registryFile(parsed, new Map([...signers, [id, signer]]))
    refuseSharedAddresses(file.relayers)
    refusePublishedAccounts(file.relayers)
    await syncOpenedRelayers({ store, logger, file: file.relayers.filter(({ signerId }) => signerId === id) })
    signers.set(id, signer)
    logger.info({ signer: id, address: signer.address }, 'signer opened: its relayers are stored, and advance')
    announce()
    await registry.admit(file)
  }

  async function untilOpen(each: AwaitedSigner): Promise<void> {
    const { id } = each
    const relayers = registry.file.awaited.filter(({ signerId }) => signerId === id).map((relayer) => relayer.id)
    const facts = { signer: id, code: each.code(), relayers }
    logger.warn(facts, 'nothing shows the address of this signer: its relayers wait until its key service answers')
    const lines = {
      began: 'a signer that has opened could not be used',
      over: 'the signer is in use',
      facts: { signer: id },
    }
    const outage = loggingOutage(logger, lines)
    while (!ended.signal.aborted) {
      await clock.sleep(everyMs, ended.signal)
      try {
        const signer = ended.signal.aborted ? undefined : await each.tryAgain()
        if (!signer) continue
        // One at a time: two signers may have one account.
        const admission = admitting.then(() => admit(id, signer))
        admitting = admission.catch(() => undefined)
        await admission
        return outage.worked()
      } catch (err) {
        if (ended.signal.aborted) return
        outage.failed(err)
        const problem = problemOf(err)
        if (problem === undefined) continue
        problems.set(id, problem)
        return
      }
    }
  }

  for (const each of awaited) void untilOpen(each)
  return {
    whyAwaited(relayerId) {
      const relayer = registry.file.awaited.find(({ id }) => id === relayerId)
      const signer = relayer && awaited.find(({ id }) => id === relayer.signerId)
      if (!signer) return undefined
      const problem = problems.get(signer.id)
      if (problem !== undefined) return `signer "${signer.id}" of relayer "${relayerId}" is not used: ${problem}`
      return `signer "${signer.id}" of relayer "${relayerId}" has not opened since the service started (${signer.code()}), so its address is unknown; the service tries it again automatically`
    },
    awaitedCode: (id) => (signers.has(id) ? undefined : awaited.find((each) => each.id === id)?.code()),
    async [Symbol.asyncDispose]() {
      ended.abort()
      await admitting
      await Promise.all(awaited.filter(({ id }) => !signers.has(id)).map((each) => each.close()))
    },
  }
}

/** Undefined for a failure that may pass. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.problems.map(({ place, message }) => `${place}: ${message}`).join('; ')
  return error instanceof OperatorError ? error.message : undefined
}
