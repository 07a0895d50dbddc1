// A question before something changes: the browser's own dialog, which keeps the focus and closes with Escape.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Failure } from '../state/request.ts'

export function Dialog({
  title,
  confirm,
  act,
  close,
  children,
  isReady = true,
  isHarmless = false,
}: {
  title: string
  /** The words of the button that does it. */
  confirm: string
  act: () => Promise<void>
  close: () => void
  children: ComponentChildren
  isReady?: boolean
  /** What it does is easily taken back. */
  isHarmless?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isBusy = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)
  useEffect(() => dialog.current?.showModal(), [])

  const run = async () => {
    isBusy.value = true
    failure.value = undefined
    try {
      await act()
      close()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      failure.value = `${error.message} (${error.code})`
    } finally {
      isBusy.value = false
    }
  }
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{title}</h2>
      <div class="body">{children}</div>
      {failure.value && (
        <p class="notice bad" role="alert">
          {failure.value}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          {isHarmless ? 'Close' : 'Keep it'}
        </button>
        <button type="button" class={isHarmless ? '' : 'danger'} disabled={!isReady || isBusy.value} onClick={run}>
          {isBusy.value ? 'Working…' : confirm}
        </button>
      </div>
    </dialog>
  )
}
