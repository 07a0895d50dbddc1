// A table from its columns. On a phone each row is a card, where a value stands beside the title of its column.
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  readonly title: string
  /** Undefined: the row has none. */
  readonly of: (row: T) => ComponentChildren
  /** `do`: buttons, which need no visible title. */
  readonly kind?: 'number' | 'state' | 'why' | 'do'
  /** The value says by itself what it is, also on a card. */
  readonly isClear?: boolean
}

/** The first column names the row. */
export function Table<T>({
  caption,
  name = 'list cards',
  rows,
  keyOf,
  columns: [first, ...others],
}: {
  caption: string
  name?: string
  rows: readonly T[]
  keyOf: (row: T) => string | number
  columns: readonly [Column<T>, ...Column<T>[]]
}) {
  return (
    <div class="scroll">
      <table class={name}>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {[first, ...others].map(({ title, kind }) => (
              <th key={title} scope="col" class={kind === 'number' ? kind : undefined}>
                {kind === 'do' ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
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

function Cell<T>({ column: { title, of, kind, isClear }, row }: { column: Column<T>; row: T }) {
  const value = of(row)
  const names = [kind, value === undefined && 'absent'].filter((each) => typeof each === 'string')
  return (
    <td class={names.join(' ') || undefined} data-label={isClear || kind === 'do' ? undefined : title}>
      {value === undefined ? '—' : value}
    </td>
  )
}
