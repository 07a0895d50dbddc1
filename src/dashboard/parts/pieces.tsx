// Small pieces that every view uses: badges, ages, hashes that copy, and the pieces for data that is not there.
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentProps } from 'preact'
import type { ListedTraceView } from '../../client/dashboard-types.ts'
import { type Tone, verdictWords } from '../../words/verdict.ts'
import { after, shownNow } from '../state/clock.ts'
import { conditionTitles } from '../state/conditions.ts'
import { duration, exactTime, localTime, plural, shortened, timeOfDay } from '../state/format.ts'
import { isStale, readAt } from '../state/live.ts'
import type { Loaded } from '../state/load.ts'
import { pathOf } from '../state/request.ts'
import { stateOf } from '../state/standing.ts'

const marks: Readonly<Record<Tone, string>> = { bad: '✕', warn: '!', good: '✓', info: '→', quiet: '·' }

/** The mark and the words say it, too: color alone is no sign. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true" class="mark">
        {marks[tone]}
      </span>
      {children}
    </span>
  )
}

export interface Call {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object | undefined
}

/** The request that a dialog sends, to copy into a script. */
export function ApiCall({ method, path, body }: Call) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <p class="note call-sent" tabIndex={0}>
      <code>
        {method} /api{path} {body && JSON.stringify(body)}
      </code>
    </p>
  )
}

/** A name and what it has, in a list of facts. */
export function Fact({
  name,
  title,
  children,
}: {
  name: string
  title?: string | undefined
  children: ComponentChildren
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </div>
  )
}

/** A labeled line of text. `more`: attributes of its input. */
export function TextField({
  label,
  text,
  ...more
}: {
  label: string
  text: Signal<string>
} & Pick<ComponentProps<'input'>, 'maxLength' | 'inputMode' | 'autofocus' | 'spellcheck' | 'autocomplete'>) {
  return (
    <label>
      {label}
      <input
        type="text"
        {...more}
        value={text.value}
        onInput={({ currentTarget }) => assign(text, currentTarget.value)}
      />
    </label>
  )
}

/** A box to check, beside its words. */
export function CheckBox({
  isOn,
  set,
  children,
}: {
  isOn: boolean
  set: (isOn: boolean) => void
  children: ComponentChildren
}) {
  return (
    <label class="choice">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => set(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  )
}

/** Sets a signal, in an arrow function without braces: an assignment is no expression here. */
export function assign<T>(signal: Signal<T>, value: NoInfer<T>): void {
  signal.value = value
}

/** `all` with `one`, or without it. */
export function toggled<T>(all: readonly T[], one: T, isOn: boolean): readonly T[] {
  const others = all.filter((each) => each !== one)
  return isOn ? [...others, one] : others
}

/** The only one, or how many they are, with their ids as the title. Undefined: all relayers. */
export function RelayerIds({ ids }: { ids: readonly string[] | undefined }) {
  if (ids === undefined) return <>all</>
  return <span title={ids.join(', ')}>{ids.length === 1 ? ids[0] : plural(ids.length, 'relayer')}</span>
}

/** The start of a text in the width that is left. The whole of it is its title. */
export function Elided({ children }: { children: string }) {
  return (
    <span class="elided" title={children}>
      {children}
    </span>
  )
}

/** Why something failed, or must not be done; nothing without a reason. */
export function Alert({ children }: { children: ComponentChildren }) {
  return children === undefined ? null : (
    <p class="notice bad" role="alert">
      {children}
    </p>
  )
}

/** Leads from a condition to its section of the runbook, which the service itself serves. */
export function Runbook({ wait }: { wait: { readonly runbook: string } }) {
  return (
    <a class="runbook" href={wait.runbook}>
      What to do
    </a>
  )
}

export function Age({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${localTime(at)} (${exactTime(at)})`}>
      {duration(shownNow.value - Date.parse(at))}
    </time>
  )
}

/** A hash, an id or an address. A click copies the whole of it. */
export function Copy({ text, label, whole = false }: { text: string; label: string; whole?: boolean }) {
  const copied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    copied.value = true
    after(1_500, () => assign(copied, false))
  }
  return (
    <button type="button" class="copy" title={`${text}\nClick to copy`} onClick={copy}>
      <code>{whole ? text : shortened(text)}</code>
      <span class="unseen">, copy the {label}</span>
      <span class="copied" role="status">
        {copied.value ? 'copied' : ''}
      </span>
    </button>
  )
}

/** A link to the network's explorer, if it has one. */
export function Explore({ url, kind, id }: { url: string | undefined; kind: 'tx' | 'address' | 'block'; id: string }) {
  if (url === undefined || !/^https?:\/\//.test(url)) return null
  const href = `${url.replace(/\/+$/, '')}/${kind}/${id}`
  return (
    <a class="explore" href={href} target="_blank" rel="noopener noreferrer" title={`Open in the explorer: ${href}`}>
      <span aria-hidden="true">↗</span>
      <span class="unseen">Open in the explorer</span>
    </a>
  )
}

/** The data; until it is there, its outline. A failure of a later reading stands above the earlier data. */
export function Shown<T>({
  loaded,
  what,
  children,
}: {
  loaded: Loaded<T>
  /** Completes "Reading …". */
  what: string
  children: (data: T, total: number) => ComponentChildren
}) {
  const { answer, failure, reload } = loaded
  return (
    <>
      {failure && (
        <div class="notice bad" role="alert">
          <p>
            <strong>{answer ? `Not up to date: as of ${timeOfDay(readAt.value)}.` : `Could not read ${what}.`}</strong>{' '}
            {failure.message} <code>{failure.code}</code>
          </p>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {answer ? children(answer.data, answer.total) : failure ? null : <Skeleton what={what} />}
    </>
  )
}

function Skeleton({ what }: { what: string }) {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">Reading {what}…</span>
      <div />
      <div />
      <div />
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children && <p>{children}</p>}
    </div>
  )
}

export function Heading({ children, aside }: { children: ComponentChildren; aside?: ComponentChildren }) {
  return (
    <header class="heading">
      <h1 tabIndex={-1}>
        {children}
        <AsOf />
      </h1>
      {aside && <div class="aside">{aside}</div>}
    </header>
  )
}

/** Beside a heading that is of an earlier time. */
function AsOf() {
  if (!isStale()) return null
  return <small class="as-of">{`as of ${timeOfDay(readAt.value)}`}</small>
}

/** The id in short; the whole of it is the title. */
export function TransactionLink({ relayer, id }: { relayer: string; id: string }) {
  return (
    <a href={pathOf`/relayers/${relayer}/transactions/${id}`} title={id}>
      <code>{shortened(id)}</code>
    </a>
  )
}

export function Pages({ page, perPage, total }: { page: Signal<number>; perPage: number; total: number }) {
  const last = Math.max(1, Math.ceil(total / perPage))
  const current = page.value
  const turn = (to: number) => assign(page, to)
  if (last === 1) return null
  return (
    <nav class="pages" aria-label="Pages">
      <button type="button" disabled={current <= 1} onClick={() => turn(current - 1)}>
        ← Newer
      </button>
      <span>
        Page {current.toLocaleString('en')} of {last.toLocaleString('en')}
      </span>
      <button type="button" disabled={current >= last} onClick={() => turn(current + 1)}>
        Older →
      </button>
    </nav>
  )
}

// A transaction's state in a word: its verdict if it is canceled, the condition if it waits, else its status.
export function TransactionBadge({ trace }: { trace: ListedTraceView }) {
  const { cancellation, wait } = trace
  if (cancellation && (cancellation.state !== 'racing' || !wait)) {
    const [tone, word] = verdictWords(cancellation)
    return <Badge tone={tone}>{word}</Badge>
  }
  if (wait)
    return (
      <Badge tone={['paused', 'on_hold'].includes(wait.condition) ? 'warn' : 'bad'}>
        {conditionTitles[wait.condition]}
      </Badge>
    )
  return <StateBadge trace={trace} />
}

/** In a list of transactions, where the reason has a column of its own. */
export function StateBadge({ trace }: { trace: ListedTraceView }) {
  const [tone, word] = stateOf(trace)
  return <Badge tone={tone}>{word}</Badge>
}
