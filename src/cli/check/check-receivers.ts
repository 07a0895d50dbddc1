// Which relayers may send to anybody, and which to nobody: those of the file, and those of the API in the database.
import type { RelayerConfig } from '../../config/config.ts'
import type { Finding } from './finding.ts'
import { madeByApi, noRows, type StoredRows } from './read-stored.ts'

type Receivers = readonly string[] | undefined

const place = 'configuration'
const check = 'receivers'

/** `stored`: undefined where the database can't be read. */
export function checkReceivers(
  file: readonly Pick<RelayerConfig, 'id' | 'policies'>[],
  stored: StoredRows | undefined,
): readonly Finding[] {
  const rows = stored ?? noRows
  const receivers = new Map([
    ...file.map(({ id, policies }) => [id, overlaid(policies.whitelistReceivers, id, rows)] as const),
    ...madeByApi(rows).map(({ id, policies }) => [id, JSON.parse(policies).whitelistReceivers] as const),
  ])
  const idsOf = (test: (list: Receivers) => boolean) =>
    [...receivers].filter(([, list]) => test(list)).map(([id]) => id)
  const open = idsOf((list) => list === undefined)
  const closed = idsOf((list) => list?.length === 0)
  if (stored && open.length + closed.length === 0) {
    return [{ level: 'ok', place, check, text: 'each relayer has a list of receivers' }]
  }
  const warning = (ids: readonly string[], text: string): readonly Finding[] =>
    ids.length === 0 ? [] : [{ level: 'warning', place, check, text: `${text}: ${named(ids)}` }]
  return [
    ...(stored ? [] : [{ level: 'warning', place, check, text: unread } as const]),
    ...warning(open, 'no whitelist_receivers, so sends may go to anybody'),
    ...warning(closed, 'whitelist_receivers is empty, so sends may go to nobody'),
  ]
}

const unread =
  "the database can't be read now, so relayers and changes of the API are not checked: read GET /api/v1/relayers"

const namedMax = 50

function named(ids: readonly string[]): string {
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : ''
  return `${ids.slice(0, namedMax).join(', ')}${more}`
}

/** The file's list, or that of a change through the API. */
function overlaid(inFile: Receivers, id: string, { entities }: StoredRows): Receivers {
  const row = entities.find((each) => each.id === id)
  const policies = row && JSON.parse(row.facts).overlay?.policies
  return policies && Object.hasOwn(policies, 'whitelistReceivers') ? (policies.whitelistReceivers ?? undefined) : inFile
}
