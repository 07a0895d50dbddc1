// A confirmation by a typed word, with the API call, before something that takes many transactions back.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useAct } from '../state/act.ts'
import { Alert, ApiCall, assign } from './pieces.tsx'

export function TypedConfirm({
  word,
  isTyped = (text) => text.trim().toLowerCase() === word,
  act,
  method = 'POST',
  path,
  body,
  run,
  children,
}: {
  word: string
  isTyped?: (text: string) => boolean
  /** The words of the button. */
  act: string
  method?: 'POST' | 'DELETE'
  path: string
  body?: object
  run: () => Promise<void>
  children?: ComponentChildren
}) {
  const typed = useSignal('')
  const { isBusy, failure, run: attempt } = useAct()
  const submit = (event: Event) => {
    event.preventDefault()
    return attempt(run)
  }
  return (
    <form class="confirm" onSubmit={submit}>
      {children}
      <label for="confirm">
        Type <strong>{word}</strong> to confirm
      </label>
      <div class="row">
        <input
          id="confirm"
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => assign(typed, currentTarget.value)}
        />
        <button type="submit" class="danger" disabled={!isTyped(typed.value) || isBusy.value}>
          {isBusy.value ? 'Canceling…' : act}
        </button>
      </div>
      <Alert>{failure.value}</Alert>
      <ApiCall method={method} path={path} body={body} />
    </form>
  )
}
