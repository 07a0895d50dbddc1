// Makes an API key. The service shows it once, and so does the page.
import { useSignal } from '@preact/signals'
import type { ApiKeyInput, NewApiKeyView } from '../../client/account-types.ts'
import { now } from '../state/clock.ts'
import { request } from '../state/request.ts'
import type { KeyScope } from '../state/session.ts'
import { Dialog } from './dialog.tsx'
import { assign, CheckBox, Copy, TextField, toggled } from './pieces.tsx'
import { RelayerPicker } from './relayer-picker.tsx'

/** What each scope lets a program do. */
const scopes: readonly (readonly [KeyScope, string])[] = [
  ['read', 'read everything'],
  ['send', 'send and replace'],
  ['cancel', 'take transactions back'],
  ['release', 'release transactions on hold'],
  ['pause', 'pause relayers'],
  ['sign', 'sign messages'],
  ['admin', 'change relayers, keys and everything else'],
]
const lives = [
  ['1', 'a day'],
  ['30', '30 days'],
  ['365', 'a year'],
  ['', 'never'],
] as const
const dayMs = 86_400_000

export function MakeKey({ made, close }: { made: (key: NewApiKeyView) => void; close: () => void }) {
  const name = useSignal('')
  const chosen = useSignal<readonly KeyScope[]>(['read'])
  const only = useSignal<readonly string[]>([])
  const days = useSignal('30')
  const begun = useSignal(now())
  const body: ApiKeyInput = {
    name: name.value,
    scopes: chosen.value,
    ...(only.value.length > 0 && { relayers: only.value }),
    ...(days.value !== '' && { expires_at: new Date(begun.value + Number(days.value) * dayMs).toISOString() }),
  }
  const call = { method: 'POST', path: '/v1/api-keys', body } as const
  return (
    <Dialog
      title="Make an API key"
      confirm="Make the key"
      isHarmless={!chosen.value.includes('admin')}
      isReady={name.value.trim() !== '' && chosen.value.length > 0}
      call={call}
      send={async () => made((await request<NewApiKeyView>(call.path, call)).data)}
      close={close}
    >
      <TextField label="Name" text={name} maxLength={100} />
      <fieldset>
        <legend>Scopes</legend>
        {scopes.map(([scope, meaning]) => (
          <CheckBox
            key={scope}
            isOn={chosen.value.includes(scope)}
            set={(isOn) => assign(chosen, toggled(chosen.value, scope, isOn))}
          >
            <code>{scope}</code> {meaning}
          </CheckBox>
        ))}
      </fieldset>
      <RelayerPicker legend="Relayers (none: all)" chosen={only} />
      <label>
        Expires after
        <select value={days.value} onChange={({ currentTarget }) => assign(days, currentTarget.value)}>
          {lives.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
    </Dialog>
  )
}

export function NewKey({ made, dismiss }: { made: NewApiKeyView; dismiss: () => void }) {
  return (
    <div class="notice good" role="status">
      <p>
        <strong>The key of {made.name}</strong>, shown this once: <Copy text={made.key} label="key" whole />
      </p>
      <button type="button" onClick={dismiss}>
        It is stored: hide it
      </button>
    </div>
  )
}
