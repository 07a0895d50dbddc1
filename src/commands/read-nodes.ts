// Runs a client's read of a chain. That no node answers is an error for the client, too.
import { ChainUnavailable } from '../chain/chain.ts'
import { RescindError } from '../domain/errors.ts'
import type { Relayer } from '../domain/relayer.ts'

/** Throws NODE_UNAVAILABLE where no node answers `read`. `why` completes "no node of network … answers". */
export async function readNodes<T>(
  { network }: Pick<Relayer, 'network'>,
  read: () => Promise<T>,
  why: (cause: ChainUnavailable) => string = () => '; try again later',
): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    if (!(cause instanceof ChainUnavailable)) throw cause
    throw new RescindError('NODE_UNAVAILABLE', `no node of network "${network}" answers${why(cause)}`, { cause })
  }
}
