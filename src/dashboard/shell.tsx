// The frame of every view: the way to the others, search, the state of the connection, and the pause button.
import { useSignal } from '@preact/signals'
import { Glossary } from './parts/glossary.tsx'
import { Empty, Heading } from './parts/pieces.tsx'
import { connection, pause, paused } from './state/live.ts'
import { go, type Route, route } from './state/route.ts'
import { may, readSession, type SignedIn, session, signOut } from './state/session.ts'
import { ApiKeys } from './views/api-keys.tsx'
import { AuditLog } from './views/audit-log.tsx'
import { CancelAll } from './views/cancel-all.tsx'
import { DeadLetters } from './views/dead-letters.tsx'
import { Figures } from './views/figures.tsx'
import { Gas } from './views/gas.tsx'
import { Nodes } from './views/nodes.tsx'
import { RelayerView } from './views/relayer.tsx'
import { Relayers } from './views/relayers.tsx'
import { Search } from './views/search.tsx'
import { SignIn } from './views/sign-in.tsx'
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
      <header class="top">
        <a class="brand" href="/">
          <img src="/dashboard/icon.svg" alt="" width="22" height="22" /> Rescind
        </a>
        <nav aria-label="Views">
          <Item to="/" isCurrent={['relayers', 'relayer', 'transaction', 'cancel-all'].includes(current.view)}>
            Relayers
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
        <Connection />
        <button type="button" class="plain" title={`Signed in with the key ${as.name}`} onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
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
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
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
      <button type="button" onClick={() => pause(!paused.value)}>
        {paused.value ? 'Resume' : 'Pause'}
        <span class="wide">&nbsp;updates</span>
      </button>
    </div>
  )
}
