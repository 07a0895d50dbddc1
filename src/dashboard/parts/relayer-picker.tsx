// Relayers to check in a list, which a text narrows where they are many.
import { type Signal, useSignal } from '@preact/signals'
import type { RelayerView } from '../../client/account-types.ts'
import { grouped } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { assign, CheckBox, toggled } from './pieces.tsx'

/** Fewer are seen at a glance. */
const soughtMin = 10

export function RelayerPicker({ legend, chosen }: { legend: string; chosen: Signal<readonly string[]> }) {
  const sought = useSignal('')
  const { answer, failure } = useLoad<readonly RelayerView[]>('/v1/relayers?per_page=1000', false)
  const all = answer?.data.map(({ id }) => id).sort() ?? []
  const text = sought.value.trim().toLowerCase()
  const found = all.filter((id) => id.toLowerCase().includes(text))
  return (
    <fieldset class="picker">
      <legend>{legend}</legend>
      {all.length >= soughtMin && (
        <input
          type="search"
          aria-label="Find a relayer"
          placeholder="Find a relayer"
          value={sought.value}
          onInput={({ currentTarget }) => assign(sought, currentTarget.value)}
        />
      )}
      <div class="picks">
        {found.map((id) => (
          <CheckBox
            key={id}
            isOn={chosen.value.includes(id)}
            set={(isOn) => assign(chosen, toggled(chosen.value, id, isOn))}
          >
            {id}
          </CheckBox>
        ))}
      </div>
      <p class="note" role="status">
        {failure
          ? failure.message
          : `${grouped(chosen.value.length)} of ${grouped(answer?.total ?? 0)} relayers chosen`}
        {answer && answer.total > all.length && `; the list has the first ${grouped(all.length)}`}
      </p>
    </fieldset>
  )
}
