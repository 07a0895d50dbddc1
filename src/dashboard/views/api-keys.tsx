// API keys: their scopes, their last use, and their revocation.
import { useSignal } from '@preact/signals'
import type { ApiKeyView, NewApiKeyView } from '../../client/account-types.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Time } from '../parts/exact.tsx'
import { MakeKey, NewKey } from '../parts/make-key.tsx'
import { Age, assign, Badge, Copy, Empty, Heading, Pages, RelayerIds, Shown } from '../parts/pieces.tsx'
import { Table } from '../parts/table.tsx'
import { now } from '../state/clock.ts'
import { plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'

const perPage = 50

export function ApiKeys() {
  const page = useSignal(1)
  const revoking = useSignal<ApiKeyView | undefined>(undefined)
  const isMaking = useSignal(false)
  const made = useSignal<NewApiKeyView | undefined>(undefined)
  const loaded = useLoad<readonly ApiKeyView[]>(`/v1/api-keys?per_page=${perPage}&page=${page.value}`)
  return (
    <>
      <Heading
        aside={
          <button type="button" onClick={() => assign(isMaking, true)}>
            Make a key…
          </button>
        }
      >
        API keys
      </Heading>
      {made.value && <NewKey made={made.value} dismiss={() => assign(made, undefined)} />}
      <p class="reason">The administrator’s key is in the environment of the service, and not in this list.</p>
      <Shown loaded={loaded} what="the API keys">
        {(keys, total) => (
          <>
            {keys.length === 0 ? (
              <Empty title="No key besides the administrator’s">
                Give each program a key of its own, with the scopes that it needs.
              </Empty>
            ) : (
              <Keys keys={keys} revoke={(key) => assign(revoking, key)} />
            )}
            {total > 0 && <p class="note">{plural(total, 'key')}, newest first.</p>}
            <Pages page={page} perPage={perPage} total={total} />
          </>
        )}
      </Shown>
      {isMaking.value && (
        <MakeKey
          made={(key) => assign(made, key)}
          close={() => {
            isMaking.value = false
            loaded.reload()
          }}
        />
      )}
      {revoking.value && (
        <Revoke
          apiKey={revoking.value}
          close={() => {
            revoking.value = undefined
            loaded.reload()
          }}
        />
      )}
    </>
  )
}

function Revoke({ apiKey, close }: { apiKey: ApiKeyView; close: () => void }) {
  return (
    <Dialog
      title={`Revoke ${apiKey.name}?`}
      confirm="Revoke the key"
      call={{ path: pathOf`/v1/api-keys/${apiKey.id}`, method: 'DELETE' }}
      close={close}
    >
      <p>
        Programs with the key <code>{apiKey.hint}…</code> are refused from now on, and its sessions end. A revoked key
        can’t be brought back.
      </p>
    </Dialog>
  )
}

function Keys({ keys, revoke }: { keys: readonly ApiKeyView[]; revoke: (key: ApiKeyView) => void }) {
  return (
    <Table
      caption="API keys, newest first"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', of: ({ name }) => name },
        { title: 'Id', isExtra: true, of: ({ id }) => <Copy text={id} label="id" /> },
        { title: 'State', isClear: true, of: (key) => <State of={key} /> },
        { title: 'Scopes', kind: 'why', of: ({ scopes }) => scopes.join(', ') },
        { title: 'Relayers', of: ({ relayers }) => <RelayerIds ids={relayers} /> },
        {
          title: 'Last used',
          isExtra: true,
          of: ({ last_used_at: at }) => (at === undefined ? 'never' : <Ago at={at} />),
        },
        { title: 'Created', isExtra: true, of: ({ created_at: at }) => <Ago at={at} /> },
        {
          title: 'Expires',
          isExtra: true,
          of: ({ expires_at: at }) => (at === undefined ? 'never' : <Time at={at} />),
        },
        {
          title: 'Actions',
          kind: 'do',
          of: (key) =>
            key.revoked_at === undefined && (
              <button type="button" class="danger" onClick={() => revoke(key)}>
                Revoke…
              </button>
            ),
        },
      ]}
    />
  )
}

function Ago({ at }: { at: string }) {
  return (
    <>
      <Age at={at} /> ago
    </>
  )
}

function State({ of: { revoked_at: revokedAt, expires_at: expiresAt } }: { of: ApiKeyView }) {
  if (revokedAt !== undefined) return <Badge tone="quiet">revoked</Badge>
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now()) return <Badge tone="quiet">expired</Badge>
  return <Badge tone="good">in force</Badge>
}
