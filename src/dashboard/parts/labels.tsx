// The client's names for a transaction, among its facts. A tag leads to the list of all transactions that have it.
import type { TraceView } from '../../client/dashboard-types.ts'
import { pathOf } from '../state/request.ts'
import { Copy } from './pieces.tsx'

export function Labels({ relayer, labels = {} }: { relayer: string; labels: TraceView['labels'] }) {
  const { external_id: externalId, tags, note } = labels
  return (
    <>
      {externalId !== undefined && (
        <div>
          <dt>External id</dt>
          <dd>
            <Copy text={externalId} label="external id" />
          </dd>
        </div>
      )}
      {tags && (
        <div>
          <dt>Tags</dt>
          <dd>
            {tags.map((tag) => (
              <a key={tag} class="tag" href={`${pathOf`/relayers/${relayer}`}?${new URLSearchParams({ tag })}`}>
                {tag}
              </a>
            ))}
          </dd>
        </div>
      )}
      {note !== undefined && (
        <div>
          <dt>Note</dt>
          <dd>{note}</dd>
        </div>
      )}
    </>
  )
}
