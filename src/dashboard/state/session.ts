// The session: its key, and the scopes of that key.
import { signal } from '@preact/signals'
import { Failure, request, whenSessionEnds } from './request.ts'

export type KeyScope = 'read' | 'send' | 'cancel' | 'release' | 'pause' | 'sign' | 'admin'

export interface SignedIn {
  readonly key_id: string
  readonly name: string
  readonly scopes: readonly KeyScope[]
  readonly relayers?: readonly string[]
  readonly version: string
}

type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none'; readonly why?: string }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'signedIn'; readonly as: SignedIn }

export const session = signal<Session>({ kind: 'unknown' })

const sessionEnded = 'Your session has ended. Sign in again to go on.'

export function may(scope: KeyScope): boolean {
  return session.value.kind === 'signedIn' && session.value.as.scopes.includes(scope)
}

/** The scope `pause` lets no relayer resume. */
export function mayPause({ paused }: { readonly paused: boolean }): boolean {
  return may('admin') || (may('pause') && !paused)
}

function endSession(why?: string): void {
  session.value = { kind: 'none', ...(why !== undefined && { why }) }
}

whenSessionEnds(() => endSession(sessionEnded))

export async function readSession(): Promise<void> {
  const isSignedIn = session.value.kind === 'signedIn'
  try {
    const { data } = await request<{ session: SignedIn | null }>('/session', { background: true })
    if (data.session) session.value = { kind: 'signedIn', as: data.session }
    else endSession(isSignedIn ? sessionEnded : undefined)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The service may be starting anew: the page stays as it is.
    if (!isSignedIn) session.value = { kind: 'failed', why: error.message }
  }
}

/** Throws Failure. The key is not kept. */
export async function signIn(key: string): Promise<void> {
  const { data } = await request<{ session: SignedIn }>('/session', { method: 'POST', body: { key } })
  session.value = { kind: 'signedIn', as: data.session }
}

export async function signOut(): Promise<void> {
  try {
    await request('/session', { method: 'DELETE' })
  } catch (error) {
    // An unknown session has ended as well.
    if (!(error instanceof Failure && error.code === 'UNAUTHORIZED')) throw error
  }
  endSession()
}
