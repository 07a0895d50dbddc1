// Logs at start whose sends are not limited to a list of receivers, and whose list allows nobody. Earlier versions took an
// empty list for no list, so that either may not be as its operator believes.
import type { Relayer } from '../../domain/relayer.ts'
import type { Logger } from '../../ops/logger.ts'

/** A log line names no more of them. */
const namedMax = 100

export function reportReceivers(relayers: readonly Pick<Relayer, 'id' | 'policies'>[], logger: Logger): void {
  const open = relayers.filter(({ policies }) => policies.whitelistReceivers === undefined)
  const closed = relayers.filter(({ policies }) => policies.whitelistReceivers?.length === 0)
  if (open.length > 0) {
    logger.info(factsOf(open), 'these relayers have no whitelist_receivers: their sends may go to anybody')
  }
  if (closed.length > 0) {
    logger.warn(factsOf(closed), 'whitelist_receivers of these relayers is an empty list: their sends may go to nobody')
  }
}

function factsOf(relayers: readonly Pick<Relayer, 'id'>[]) {
  return { count: relayers.length, relayer_ids: relayers.slice(0, namedMax).map(({ id }) => id) }
}
