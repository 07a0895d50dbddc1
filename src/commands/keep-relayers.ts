// The configuration's relayers into rows, at start. What a row already stands for is not changed under open transactions.
import type { Relayer } from '../domain/relayer.ts'
import type { Logger } from '../ops/logger.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { Store } from '../store/store.ts'

export interface KeepRelayers {
  readonly store: Store
  readonly configured: readonly Relayer[]
  /** Whether its key and its network are still configured. */
  readonly canBeFollowed: (relayer: Relayer) => boolean
  readonly logger: Logger
}

/**
 * Answers the relayers to advance: the configured ones, and those that the configuration no longer names as long as they
 * can be followed. These are paused: they take nothing new, but what they have in flight, and its cancellations, go on.
 *
 * Throws OperatorError where an id would change its account, or an account its id.
 */
export async function keepRelayers({ store, configured, canBeFollowed, logger }: KeepRelayers): Promise<Relayer[]> {
  const { items: stored } = await store.reads.relayers({ page: 1, perPage: relayersMax })
  const problems = await Promise.all(configured.map((relayer) => problemsOf(store, relayer, stored)))
  if (problems.flat().length > 0) throw new OperatorError(problems.flat().join('\n'))

  const orphans = stored
    .filter(({ id }) => !configured.some((relayer) => relayer.id === id))
    .map((orphan): Relayer => ({ ...orphan, paused: true }))
  await store.commit(async (session) => {
    for (const relayer of [...orphans, ...configured]) await session.saveRelayer(relayer)
  })
  for (const orphan of orphans) {
    const told = canBeFollowed(orphan)
      ? 'it is paused; what it has in flight is followed'
      : 'it is paused, and without its signer or network nothing of it is followed, nor can anything of it be canceled'
    logger.warn({ relayer: orphan.id }, `the configuration no longer names this relayer: ${told}`)
  }
  return [...configured, ...orphans.filter(canBeFollowed)]
}

/** More than any configuration file names. */
const relayersMax = 100_000

async function problemsOf(store: Store, relayer: Relayer, stored: readonly Relayer[]): Promise<string[]> {
  const { id, address, chainId } = relayer
  const known = stored.find((other) => other.id === id)
  const twin = stored.find((other) => other.id !== id && other.chainId === chainId && other.address === address)
  const problems: string[] = []
  if (twin) {
    problems.push(
      `relayer "${id}": ${address} on chain ${chainId} is relayer "${twin.id}" in the database, with its history; keep that id, or give "${id}" another key`,
    )
  }
  if (known && (known.address !== address || known.chainId !== chainId) && (await hasOpen(store, known))) {
    problems.push(
      `relayer "${id}": it has open transactions of ${known.address} on chain ${known.chainId}, and the configuration now gives it ${address} on chain ${chainId}; go back until they have ended, or give the new account an id of its own`,
    )
  }
  return problems
}

async function hasOpen(store: Store, { id }: Relayer): Promise<boolean> {
  const work = await store.reads.work(id)
  return work !== undefined && work.open.length + work.queued.length > 0
}
