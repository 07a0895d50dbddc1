// A confirmation by a typed word, with the API call, before something that takes many transactions back.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Failure } from '../state/request.ts'
import { ApiCall } from './pieces.tsx'

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
  const isBusy = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    isBusy.value = true
    failure.value = undefined
    try {
      await run()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      failure.value = `${error.message} (${error.code})`
    } finally {
      isBusy.value = false
    }
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
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value
          }}
        />
        <button type="submit" class="danger" disabled={!isTyped(typed.value) || isBusy.value}>
          {isBusy.value ? 'Canceling…' : act}
        </button>
      </div>
      {failure.value && (
        <p class="notice bad" role="alert">
          {failure.value}
        </p>
      )}
      <ApiCall method={method} path={path} body={body} />
    </form>
  )
}
