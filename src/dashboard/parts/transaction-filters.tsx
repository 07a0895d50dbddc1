// The form that narrows a list of transactions. The URL holds its fields, so that Back and sharing work.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type FilterName, fieldOf, filterNames, filtersIn, parameterOf, queryOf } from '../state/filters.ts'
import { goWithin, search } from '../state/route.ts'

const statuses = ['pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'canceled', 'expired'] as const
const verdicts = ['racing', 'dropped', 'won', 'lost', 'external'] as const
const always: readonly FilterName[] = ['text', 'status']

function submit(event: Event): void {
  event.preventDefault()
  if (!(event.currentTarget instanceof HTMLFormElement)) return
  const fields = new FormData(event.currentTarget)
  const parameters = new URLSearchParams()
  for (const name of filterNames) {
    const text = String(fields.get(name) ?? '').trim()
    if (text !== '') parameters.set(name, parameterOf(name, text))
  }
  goWithin(queryOf(parameters))
}

export function TransactionFilters({ symbol }: { symbol: string }) {
  const form = useRef<HTMLFormElement>(null)
  const filters = filtersIn(search.value)
  const query = queryOf(filters)
  // Back and links fill the fields, and typing changes nothing else before it is submitted.
  useLayoutEffect(() => {
    for (const name of filterNames) {
      const field = form.current?.elements.namedItem(name)
      if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) {
        field.value = fieldOf(name, filters.get(name))
      }
    }
  }, [query])
  const clear = () => {
    goWithin('')
    form.current?.querySelector('input')?.focus()
  }
  return (
    <form class="filters" aria-label="Filter transactions" onSubmit={submit} ref={form}>
      <div class="row">
        <label>
          Id or hash
          <input
            name="text"
            placeholder="the beginning is enough"
            pattern="\s*(0[xX][0-9a-fA-F]{1,64}|[0-9a-fA-F][0-9a-fA-F\-]{0,35})\s*"
            title="hex digits: an id, or 0x and a hash"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <label>
          Status
          <select name="status" onChange={(event) => event.currentTarget.form?.requestSubmit()}>
            <option value="">all</option>
            {statuses.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <button type="submit">Filter</button>
        {query !== '' && (
          <button type="button" onClick={clear}>
            Clear filters
          </button>
        )}
      </div>
      <details open={filterNames.some((name) => !always.includes(name) && filters.has(name))}>
        <summary>More filters</summary>
        <div class="row">
          <label class="long">
            Receiver
            <input
              name="to"
              placeholder="0x…"
              pattern="\s*0x[0-9a-fA-F]{40}\s*"
              title="0x and 40 hex digits"
              autocomplete="off"
              spellcheck={false}
            />
          </label>
          <label>
            Verdict
            <select name="verdict">
              <option value="">any, or none</option>
              {verdicts.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          <Range legend="Nonce" names={['nonce_from', 'nonce_to']} pattern="\s*[0-9]{1,15}\s*" hint="a number" />
          <fieldset class="times">
            <legend>Created</legend>
            <label>
              from
              <input type="datetime-local" step="1" name="created_from" />
            </label>
            <label>
              to
              <input type="datetime-local" step="1" name="created_to" />
            </label>
          </fieldset>
          <Range
            legend={`Value in ${symbol}`}
            names={['value_from', 'value_to']}
            pattern="\s*[0-9]{1,60}(\.[0-9]{1,18})?\s*"
            hint="an amount such as 1.5"
          />
          <label>
            External id
            <input name="external_id" maxLength={128} autocomplete="off" spellcheck={false} />
          </label>
          <label>
            Tag
            <input name="tag" maxLength={64} autocomplete="off" spellcheck={false} />
          </label>
        </div>
      </details>
    </form>
  )
}

function Range({
  legend,
  names: [from, to],
  pattern,
  hint,
}: {
  legend: string
  names: readonly [FilterName, FilterName]
  pattern: string
  hint: string
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <label>
        from
        <input name={from} pattern={pattern} title={hint} inputMode="decimal" autocomplete="off" />
      </label>
      <label>
        to
        <input name={to} pattern={pattern} title={hint} inputMode="decimal" autocomplete="off" />
      </label>
    </fieldset>
  )
}
