// A table from its columns. On a phone each row is a card, where a value stands beside the title of its column.
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  readonly title: string
  /** Undefined: the row has none. */
  readonly of: (row: T) => ComponentChildren
  /** `do`: buttons, which need no visible title. `fill`: text in the width that the others leave. */
  readonly kind?: 'number' | 'state' | 'why' | 'fill' | 'do'
  /** Absent where a screen is narrower than a desk’s, and wider than a card. */
  readonly isExtra?: boolean
  /** The value says by itself what it is, also on a card. */
  readonly isClear?: boolean
}

/** The first column names the row. `pick`: a box to check, before it. */
export function Table<T>({
  caption,
  name = 'list cards',
  rows,
  keyOf,
  pick,
  columns: [first, ...others],
}: {
  caption: string
  name?: string
  rows: readonly T[]
  keyOf: (row: T) => string | number
  pick?: ((row: T) => ComponentChildren) | undefined
  columns: readonly [Column<T>, ...Column<T>[]]
}) {
  return (
    <div class="scroll">
      <table class={name}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {pick && <td />}
            {[first, ...others].map(({ title, kind, isExtra }) => (
              <th key={title} scope="col" class={namesOf(kind === 'number' && kind, isExtra && 'extra')}>
                {kind === 'do' ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {pick && <td class="pick">{pick(row)}</td>}
              <th scope="row">{first.of(row)}</th>
              {others.map((column) => (
                <Cell key={column.title} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell<T>({ column: { title, of, kind, isClear, isExtra }, row }: { column: Column<T>; row: T }) {
  const value = of(row)
  return (
    <td
      class={namesOf(kind, isExtra && 'extra', value === undefined && 'absent')}
      data-label={isClear || kind === 'do' ? undefined : title}
    >
      {value === undefined ? '—' : value}
    </td>
  )
}

function namesOf(...names: readonly (string | false | undefined)[]): string | undefined {
  return names.filter(Boolean).join(' ') || undefined
}
