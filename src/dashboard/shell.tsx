// The frame of every view: the way to the others, search, the state of the connection, and the pause button.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { assign, Empty, Heading } from './parts/pieces.tsx'
import { timeOfDay } from './state/format.ts'
import { connection, isStale, pause, paused, readAt } from './state/live.ts'
import { go, type Route, route } from './state/route.ts'
import { may, readSession, type SignedIn, session, signOut } from './state/session.ts'
import { ApiKeys } from './views/api-keys.tsx'
import { AuditLog } from './views/audit-log.tsx'
import { BulkCancellation } from './views/bulk-cancellation.tsx'
import { BulkCancellations } from './views/bulk-cancellations.tsx'
import { CancelAll } from './views/cancel-all.tsx'
import { DeadLetters } from './views/dead-letters.tsx'
import { Figures } from './views/figures.tsx'
import { Gas } from './views/gas.tsx'
import { NewBulkCancellation } from './views/new-bulk-cancellation.tsx'
import { Nodes } from './views/nodes.tsx'
import { RelayerView } from './views/relayer.tsx'
import { Relayers } from './views/relayers.tsx'
import { Search } from './views/search.tsx'
import { SignIn } from './views/sign-in.tsx'
import { StopEverything } from './views/stop-everything.tsx'
import { TransactionView } from './views/transaction.tsx'

export function Shell() {
  const now = session.value
  if (now.kind === 'signedIn') return <Page as={now.as} />
  if (now.kind === 'none') return <SignIn why={now.why} />
  return (
    <main class="alone">
      {now.kind === 'failed' && (
        <div class="notice bad" role="alert">
          <p>
            <strong>The service could not be read.</strong> {now.why}
          </p>
          <button type="button" onClick={() => void readSession()}>
            Try again
          </button>
        </div>
      )}
    </main>
  )
}

function Page({ as }: { as: SignedIn }) {
  const current = route.value
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Top as={as} current={current} />
      <main id="content">
        <View of={current} />
      </main>
      <footer class="bottom">
        <Glossary />
        Rescind {as.version} · key <strong>{as.name}</strong>: {as.scopes.join(', ')}
        {as.relayers && ` for ${as.relayers.join(', ')}`} · <a href="/docs/">API reference</a>
      </footer>
    </>
  )
}

function Top({ as, current }: { as: SignedIn; current: Route }) {
  const isOpen = useSignal(false)
  useEffect(() => assign(isOpen, false), [current])
  return (
    <header class="top">
      <a class="brand" href="/">
        <img src="/dashboard/icon.svg" alt="" width="22" height="22" /> <span class="wide">Rescind</span>
      </a>
      <Connection />
      <button
        type="button"
        class="menu"
        aria-expanded={isOpen.value}
        aria-controls="menu"
        onClick={() => assign(isOpen, !isOpen.value)}
      >
        Menu
      </button>
      <div id="menu" class={isOpen.value ? 'rest open' : 'rest'}>
        <nav aria-label="Views">
          <Item to="/" isCurrent={['relayers', 'relayer', 'transaction', 'cancel-all'].includes(current.view)}>
            Relayers
          </Item>
          <Item to="/bulk-cancellations" isCurrent={/bulk-cancellation|stop-everything/.test(current.view)}>
            Bulk cancellations
          </Item>
          <Item to="/nodes" isCurrent={current.view === 'nodes'}>
            Nodes
          </Item>
          <Item to="/figures" isCurrent={current.view === 'figures'}>
            Figures
          </Item>
          <Item to="/gas" isCurrent={current.view === 'gas'}>
            Gas
          </Item>
          {may('admin') && (
            <>
              <Item to="/dead-letters" isCurrent={current.view === 'dead-letters'}>
                Dead letters
              </Item>
              <Item to="/api-keys" isCurrent={current.view === 'api-keys'}>
                API keys
              </Item>
              <Item to="/audit-log" isCurrent={current.view === 'audit-log'}>
                Audit log
              </Item>
            </>
          )}
        </nav>
        <SearchField />
        <button type="button" class="updates" onClick={() => pause(!paused.value)}>
          {paused.value ? 'Resume' : 'Pause'}
          <span class="unseen"> updates</span>
        </button>
        <button type="button" class="plain" title={`Signed in with the key ${as.name}`} onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </header>
  )
}

function Item({ to, isCurrent, children }: { to: string; isCurrent: boolean; children: string }) {
  return (
    <a href={to} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </a>
  )
}

function View({ of }: { of: Route }) {
  switch (of.view) {
    case 'relayers':
      return <Relayers />
    case 'relayer':
      return <RelayerView key={of.relayer} id={of.relayer} />
    case 'cancel-all':
      return <CancelAll key={of.relayer} id={of.relayer} />
    case 'transaction':
      return <TransactionView key={of.transaction} relayer={of.relayer} id={of.transaction} />
    case 'bulk-cancellations':
      return <BulkCancellations />
    case 'bulk-cancellation':
      return <BulkCancellation key={of.bulk} id={of.bulk} />
    case 'new-bulk-cancellation':
      return <NewBulkCancellation />
    case 'stop-everything':
      return <StopEverything />
    case 'search':
      return <Search key={of.query} query={of.query} />
    case 'nodes':
      return <Nodes />
    case 'figures':
      return <Figures />
    case 'gas':
      return <Gas />
    case 'dead-letters':
      return <DeadLetters />
    case 'api-keys':
      return <ApiKeys />
    case 'audit-log':
      return <AuditLog />
    case 'nothing':
      return (
        <>
          <Heading>There is no such page</Heading>
          <Empty title="Nothing stands at this address">
            Begin with <a href="/">the relayers</a>.
          </Empty>
        </>
      )
  }
}

function SearchField() {
  const text = useSignal('')
  const search = (event: Event) => {
    event.preventDefault()
    const query = text.value.trim()
    if (query !== '') go(`/search?query=${encodeURIComponent(query)}`)
  }
  return (
    <search>
      <form onSubmit={search}>
        <input
          type="search"
          aria-label="Search by id, hash or address"
          placeholder="Id, hash or address"
          maxLength={100}
          value={text.value}
          onInput={(event) => assign(text, event.currentTarget.value)}
        />
      </form>
    </search>
  )
}

const words = { live: 'Live', connecting: 'Connecting', lost: 'Connection lost' } as const

function Connection() {
  const state = paused.value ? 'paused' : connection.value
  return (
    <div class={`connection ${state}`}>
      <span class="dot" aria-hidden="true" />
      <span role="status">{paused.value ? 'Paused' : words[connection.value]}</span>
      {isStale() && <small class="wide">{`as of ${timeOfDay(readAt.value)}`}</small>}
    </div>
  )
}

const glossary: readonly (readonly [string, string])[] = [
  ['payload', 'What a transaction was sent to do: its receiver, its value and its data.'],
  [
    'attempt',
    'A signed version of a transaction. All attempts of a nonce compete, and a block holds at most one of them.',
  ],
  ['no-op', 'An empty transaction of the relayer to itself. It takes a nonce, so that the payload can’t.'],
  ['gap filler', 'A no-op for a nonce that nothing uses: without it, no later nonce would be mined.'],
  ['foreign', 'A transaction of the relayer’s account that this service did not sign.'],
  ['verdict', 'How a cancellation ends: canceled, too late, or the nonce taken. It may change until it is final.'],
  ['final', 'In a block so deep, by the network’s rule, that no reorganization is expected to remove it.'],
  ['gas price', 'What a unit of gas costs. An attempt offers a maximum; the block takes its base fee and the tip.'],
]

function Glossary() {
  return (
    <details class="glossary">
      <summary>Words on these pages</summary>
      <dl>
        {glossary.map(([word, meaning]) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
