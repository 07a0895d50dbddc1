// The findings for an id, a hash or an address. A single finding opens at once.
import { useEffect } from 'preact/hooks'
import type { FindingView } from '../../client/dashboard-types.ts'
import { Empty, Heading, Shown } from '../parts/pieces.tsx'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'
import { go } from '../state/route.ts'

export function Search({ query }: { query: string }) {
  const isUsable = /^[\x21-\x7e]{1,100}$/.test(query)
  const loaded = useLoad<readonly FindingView[]>(isUsable ? pathOf`/v1/search?query=${query}` : undefined, false)
  const only = loaded.answer?.data.length === 1 ? loaded.answer.data[0] : undefined
  useEffect(() => {
    if (only) go(linkOf(only))
  }, [only])
  return (
    <>
      <Heading>
        Search for <code>{query}</code>
      </Heading>
      {isUsable ? (
        <Shown loaded={loaded} what="the findings">
          {(findings) =>
            findings.length === 0 ? (
              <Empty title="Nothing found">
                Search by the whole id of a transaction or a relayer, the whole hash of an attempt, or the address of a
                relayer.
              </Empty>
            ) : (
              <ul class="findings">
                {findings.map((finding) => (
                  <li key={linkOf(finding)}>
                    <a href={linkOf(finding)}>
                      {finding.transaction_id === undefined ? 'Relayer' : `Transaction ${finding.transaction_id} of`}{' '}
                      {finding.relayer_id}
                    </a>
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      ) : (
        <Empty title="Nothing to search for">An id, a hash or an address has no spaces.</Empty>
      )}
    </>
  )
}

function linkOf({ relayer_id: relayer, transaction_id: transaction }: FindingView): string {
  return transaction === undefined
    ? pathOf`/relayers/${relayer}`
    : pathOf`/relayers/${relayer}/transactions/${transaction}`
}
