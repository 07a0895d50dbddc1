// A question before a request that changes something, which it shows: the browser's own dialog, which keeps the focus and closes with Escape.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useAct } from '../state/act.ts'
import { request } from '../state/request.ts'
import { Alert, ApiCall, type Call } from './pieces.tsx'

export function Dialog({
  title,
  confirm,
  call,
  send = () => request(call.path, call),
  close,
  children,
  isReady = true,
  isHarmless = false,
}: {
  title: string
  /** The words of the button that does it. */
  confirm: string
  call: Call
  /** Sends the call where more than its success matters. */
  send?: () => Promise<unknown>
  close: () => void
  children: ComponentChildren
  isReady?: boolean
  /** What it does is easily taken back. */
  isHarmless?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { isBusy, failure, run } = useAct()
  useEffect(() => dialog.current?.showModal(), [])

  const confirmed = () =>
    run(async () => {
      await send()
      close()
    })
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="dialog-title" onClose={close}>
      <h2 id="dialog-title">{title}</h2>
      <div class="body">
        {children}
        <ApiCall {...call} />
      </div>
      <Alert>{failure.value}</Alert>
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          {isHarmless ? 'Close' : 'Keep it'}
        </button>
        <button
          type="button"
          class={isHarmless ? '' : 'danger'}
          disabled={!isReady || isBusy.value}
          onClick={confirmed}
        >
          {isBusy.value ? 'Working…' : confirm}
        </button>
      </div>
    </dialog>
  )
}
