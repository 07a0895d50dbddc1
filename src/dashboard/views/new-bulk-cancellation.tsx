// A new bulk cancellation by a filter: a form, its preview, the API call that it makes, and a typed confirmation.
import { type Signal, useSignal } from '@preact/signals'
import type { BulkInput } from '../../client/bulk-types.ts'
import { filterWords, limitWords } from '../../words/bulk.ts'
import { PreviewedConfirm } from '../parts/bulk-preview.tsx'
import { assign, CheckBox, Heading, toggled } from '../parts/pieces.tsx'
import { RelayerPicker } from '../parts/relayer-picker.tsx'
import { mayStop, useMakeBulk } from '../state/bulk.ts'
import { parameterOf } from '../state/filters.ts'
import { may } from '../state/session.ts'

const statuses = ['pending', 'sent', 'submitted'] as const
type Status = (typeof statuses)[number]
type BulkFields = Readonly<
  Record<
    | ('to' | 'selector' | 'tag' | 'older_than' | 'newer_than' | 'value_from' | 'value_to')
    | ('nonce_from' | 'nonce_to' | 'name' | 'reason' | 'max_cost'),
    string
  >
>
const empty: BulkFields = {
  ...{ to: '', selector: '', tag: '', older_than: '', newer_than: '', value_from: '', value_to: '' },
  ...{ nonce_from: '', nonce_to: '', name: '', reason: '', max_cost: '' },
}

export function NewBulkCancellation() {
  const fields = useSignal(empty)
  const relayers = useSignal<readonly string[]>([])
  const chosen = useSignal<readonly Status[]>([])
  const isAll = useSignal(false)
  const pauses = useSignal(false)
  const isFree = useSignal(false)
  const make = useMakeBulk()
  const body = {
    ...bodyOf(fields.value, chosen.value, isAll.value ? 'all' : relayers.value, pauses.value),
    ...limitOf(fields.value, isFree.value),
  }
  const set = (name: keyof BulkFields) => (text: string) => assign(fields, { ...fields.value, [name]: text })
  const field = (name: keyof BulkFields) => ({ value: fields.value[name], set: set(name) })
  return (
    <>
      <nav class="crumbs" aria-label="Where this page is">
        <a href="/bulk-cancellations">Bulk cancellations</a> <span aria-hidden="true">/</span> New
      </nav>
      <Heading>Cancel by a filter</Heading>
      {!may('cancel') && <p class="notice warn">This key may not cancel. A key with the scope “cancel” may.</p>}
      <div class="columns apart">
        <div class="form">
          <div class="choices across">
            <Check label="All relayers" on={isAll} />
            {mayStop() && <Check label="Pause them" on={pauses} />}
          </div>
          {!isAll.value && <RelayerPicker legend="Relayers" chosen={relayers} />}
          <Field label="Receiver" hint="0x…" {...field('to')} />
          <Field label="Selector" hint="0xa9059cbb" {...field('selector')} />
          <Field label="Tags, with commas" {...field('tag')} />
          <fieldset>
            <legend>Status (none: each of them)</legend>
            <div class="choices">
              {statuses.map((status) => (
                <CheckBox
                  key={status}
                  isOn={chosen.value.includes(status)}
                  set={(isOn) => assign(chosen, toggled(chosen.value, status, isOn))}
                >
                  {status}
                </CheckBox>
              ))}
            </div>
          </fieldset>
          <FieldRange
            legend="Age, such as 90s, 10m, 24h"
            labels={['at least', 'less than']}
            one={field('older_than')}
            other={field('newer_than')}
          />
          <FieldRange
            legend="Value in ether"
            labels={['from', 'to']}
            one={field('value_from')}
            other={field('value_to')}
          />
          <FieldRange legend="Nonce" labels={['from', 'to']} one={field('nonce_from')} other={field('nonce_to')} />
          <Field label="Cost at most, in ether (optional)" {...field('max_cost')} />
          <div class="choices">
            <Check label="Only free ones" on={isFree} />
          </div>
          <Field label="Name (optional)" {...field('name')} />
          <Field label="Reason (optional)" {...field('reason')} />
        </div>
        {may('cancel') && (
          <div class="panel">
            <p class="lead">
              Cancels {filterWords(body.filter)} of{' '}
              {isAll.value
                ? 'all relayers'
                : body.relayers.length === 0
                  ? 'the relayers that you choose'
                  : [...body.relayers].join(', ')}
              {pauses.value && ', and pauses them'}
              {limitWords(body).map((words) => `, ${words}`)}.
            </p>
            <PreviewedConfirm body={body} make={make} />
          </div>
        )}
      </div>
    </>
  )
}

function Check({ label, on }: { label: string; on: Signal<boolean> }) {
  return (
    <CheckBox isOn={on.value} set={(isOn) => assign(on, isOn)}>
      {label}
    </CheckBox>
  )
}

function limitOf(fields: BulkFields, isFree: boolean): Pick<BulkInput, 'only' | 'max_cost'> {
  const cost = fields.max_cost.trim()
  return { ...(isFree && { only: 'free' }), ...(cost !== '' && { max_cost: parameterOf('value_to', cost) }) }
}

/** Texts that are no figures go to the service, whose refusal names the member and the form. */
function bodyOf(
  fields: BulkFields,
  status: readonly Status[],
  relayers: BulkInput['relayers'],
  pause: boolean,
): BulkInput {
  const text = (name: keyof BulkFields) => fields[name].trim()
  const given = (...members: readonly (keyof BulkFields)[]) =>
    Object.fromEntries(members.filter((name) => text(name) !== '').map((name) => [name, text(name)]))
  const wei = (name: 'value_from' | 'value_to') => text(name) !== '' && { [name]: parameterOf(name, text(name)) }
  const nonce = (name: 'nonce_from' | 'nonce_to') => text(name) !== '' && { [name]: Number(text(name)) }
  const tags = text('tag')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return {
    ...given('name', 'reason'),
    filter: {
      ...given('to', 'selector', 'older_than', 'newer_than'),
      ...(tags.length > 0 && { tag: tags }),
      ...(status.length > 0 && { status }),
      ...{ ...wei('value_from'), ...wei('value_to'), ...nonce('nonce_from'), ...nonce('nonce_to') },
    },
    relayers,
    ...(pause && { pause }),
  }
}

interface FieldState {
  readonly value: string
  readonly set: (text: string) => void
}

/** Text fields of the form of a bulk cancellation. */
function Field({ label, hint, value, set }: FieldState & { label: string; hint?: string }) {
  return (
    <label>
      {label}
      <input
        type="text"
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
}

function FieldRange({
  legend,
  labels: [one, other],
  ...fields
}: {
  legend: string
  labels: readonly [string, string]
  one: FieldState
  other: FieldState
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <Field label={one} {...fields.one} />
      <Field label={other} {...fields.other} />
    </fieldset>
  )
}
