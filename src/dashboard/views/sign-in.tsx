// Signing in: the key is posted once, and the page keeps nothing of it.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Alert, assign } from '../parts/pieces.tsx'
import { useAct } from '../state/act.ts'
import { signIn } from '../state/session.ts'

const sentences: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'This is no valid key: it is wrong, was revoked, or has expired.',
  RATE_LIMITED: 'Too many wrong keys came from this address. Wait a few seconds.',
}

export function SignIn({ why }: { why: string | undefined }) {
  const key = useSignal('')
  const { isBusy, failure, run } = useAct(({ code, message }) => sentences[code] ?? message)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  const submit = (event: Event) => {
    event.preventDefault()
    return run(() => signIn(key.value)).finally(() => assign(key, ''))
  }
  return (
    <main class="alone">
      <form class="sign-in" onSubmit={submit}>
        <img src="/dashboard/icon.svg" alt="" width="40" height="40" />
        <h1 tabIndex={-1}>Rescind</h1>
        {why && (
          <p class="notice warn" role="status">
            {why}
          </p>
        )}
        {!isSecureContext && (
          <Alert>
            This connection is not encrypted. Open the dashboard over HTTPS: the service refuses a sign-in from here.
          </Alert>
        )}
        <label for="key">API key</label>
        <input
          id="key"
          ref={field}
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          disabled={!isSecureContext}
          aria-describedby="key-note"
          value={key.value}
          onInput={(event) => assign(key, event.currentTarget.value)}
        />
        <Alert>{failure.value}</Alert>
        <button type="submit" class="primary" disabled={isBusy.value || !isSecureContext}>
          {isBusy.value ? 'Signing in…' : 'Sign in'}
        </button>
        <p id="key-note" class="note">
          The page sends the key once and keeps nothing of it. The session ends after 30 minutes without use.
        </p>
      </form>
    </main>
  )
}
