// API keys: their scopes, their last use, and their revocation.
import { useSignal } from '@preact/signals'
import type { ApiKeyView, NewApiKeyView } from '../../client/account-types.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Time } from '../parts/exact.tsx'
import { MakeKey, NewKey } from '../parts/make-key.tsx'
import { Age, ApiCall, Badge, Copy, Empty, Heading, Pages, Shown } from '../parts/pieces.tsx'
import { now } from '../state/clock.ts'
import { plural } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf, request } from '../state/request.ts'

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
          <button
            type="button"
            onClick={() => {
              isMaking.value = true
            }}
          >
            Make a key…
          </button>
        }
      >
        API keys
      </Heading>
      {made.value && (
        <NewKey
          made={made.value}
          dismiss={() => {
            made.value = undefined
          }}
        />
      )}
      <p class="reason">The administrator’s key is in the environment of the service, and not in this list.</p>
      <Shown loaded={loaded} what="the API keys">
        {(keys, total) => (
          <>
            {keys.length === 0 ? (
              <Empty title="No key besides the administrator’s">
                Give each program a key of its own, with the scopes that it needs.
              </Empty>
            ) : (
              <Table
                keys={keys}
                revoke={(key) => {
                  revoking.value = key
                }}
              />
            )}
            {total > 0 && <p class="note">{plural(total, 'key')}, newest first.</p>}
            <Pages page={page} perPage={perPage} total={total} />
          </>
        )}
      </Shown>
      {isMaking.value && (
        <MakeKey
          made={(key) => {
            made.value = key
          }}
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
      act={async () => {
        await request(pathOf`/v1/api-keys/${apiKey.id}`, { method: 'DELETE' })
      }}
      close={close}
    >
      <p>
        Programs with the key <code>{apiKey.hint}…</code> are refused from now on, and its sessions end. A revoked key
        can’t be brought back.
      </p>
      <ApiCall method="DELETE" path={pathOf`/v1/api-keys/${apiKey.id}`} />
    </Dialog>
  )
}

function Table({ keys, revoke }: { keys: readonly ApiKeyView[]; revoke: (key: ApiKeyView) => void }) {
  return (
    <div class="scroll">
      <table class="list cards">
        <caption class="unseen">API keys, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Scopes</th>
            <th scope="col">Relayers</th>
            <th scope="col">Last used</th>
            <th scope="col">Created</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {key.name}
                <small>
                  <Copy text={key.id} label="id" /> · {key.hint}…
                </small>
              </th>
              <td>
                <State of={key} />
              </td>
              <td data-label="Scopes">{key.scopes.join(', ')}</td>
              <td data-label="Relayers">{key.relayers ? key.relayers.join(', ') : 'all'}</td>
              <td data-label="Last used">
                {key.last_used_at === undefined ? (
                  'never'
                ) : (
                  <>
                    <Age at={key.last_used_at} /> ago
                  </>
                )}
              </td>
              <td data-label="Created">
                <Time at={key.created_at} />
              </td>
              <td class="do">
                {key.revoked_at === undefined && (
                  <button type="button" class="danger" onClick={() => revoke(key)}>
                    Revoke…
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function State({ of: { revoked_at: revokedAt, expires_at: expiresAt } }: { of: ApiKeyView }) {
  if (revokedAt !== undefined) return <Badge tone="quiet">revoked</Badge>
  if (expiresAt === undefined) return <Badge tone="good">in force</Badge>
  if (Date.parse(expiresAt) <= now()) return <Badge tone="quiet">expired</Badge>
  return (
    <>
      <Badge tone="good">in force</Badge>
      <small>
        until <Time at={expiresAt} />
      </small>
    </>
  )
}
