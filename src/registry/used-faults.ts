// Faults of the file in what the database's relayers name: the file alone can't show that somebody uses it.
import type { FaultyEntity } from '../domain/settings.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { Store } from '../store/store.ts'
import { relayersMax } from './registry.ts'
import { relayerFromEntity } from './stored-entities.ts'

/** The relayer of the database that names an entity; undefined if none does. */
type NamedInStore = (kind: FaultyEntity['kind'], name: string) => string | undefined

/** `file`: the relayers of the file. Of those, only what the API has changed counts: the file is about to replace the rest. */
export async function namedInStore(
  { reads }: Pick<Store, 'reads'>,
  file: readonly { readonly id: string }[],
): Promise<NamedInStore> {
  const { items } = await reads.relayers({ page: 1, perPage: relayersMax })
  const rows = (await reads.entities()).filter(({ kind }) => kind === 'relayer')
  const isInFile = (id: string) => file.some((each) => each.id === id)
  const named = new Map<string, string>()
  const note = (kind: FaultyEntity['kind'], name: string | null | undefined, relayer: string) => {
    if (typeof name === 'string') named.set(JSON.stringify([kind, name]), relayer)
  }
  for (const { id, network, signerId, notificationId } of items.filter((each) => !isInFile(each.id))) {
    note('network', network, id)
    note('signer', signerId, id)
    note('notification', notificationId, id)
  }
  for (const row of rows.filter(({ id }) => isInFile(id))) {
    const document = relayerFromEntity(row)
    if (document.origin === 'file') note('notification', document.overlay.notificationId, row.id)
  }
  return (kind, name) => named.get(JSON.stringify([kind, name]))
}

/** Throws OperatorError with each fault of an entity that a relayer of the database names. */
export function refuseUsedFaults(faulty: readonly FaultyEntity[], namedBy: NamedInStore): void {
  const lines = faulty.flatMap(({ kind, name, faults }) => {
    const relayer = namedBy(kind, name)
    if (relayer === undefined) return []
    return faults.map((fault) => `  - ${fault} (relayer "${relayer}" of the database names this ${kind})`)
  })
  if (lines.length > 0) throw new OperatorError(['the configuration has faults that matter:', ...lines].join('\n'))
}
