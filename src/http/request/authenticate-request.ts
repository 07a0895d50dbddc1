// Authenticates a request: of the API by its Authorization header alone, of the dashboard by its cookie alone.
import type { SessionDigest } from '../../commands/dashboard/session-token.ts'
import type { AuthenticateRequest } from './authorize.ts'
import { checkOrigin, isBackground, isFromDashboard, sessionTokenOf } from './dashboard-request.ts'
import { type KeyRing, type KeyRingContext, keyRing } from './key-ring.ts'
import { type SessionRing, sessionRing } from './session-ring.ts'

export interface Access {
  /** `forget` also forgets the key's sessions. */
  readonly keys: KeyRing
  readonly sessions: SessionRing
  /** Throws FOREIGN_ORIGIN. */
  readonly authenticate: AuthenticateRequest
}

/** Opens access to the API. Without `digestOf` no dashboard is served, and no request is one of the dashboard. */
export function openAccess(context: KeyRingContext, digestOf: SessionDigest = () => undefined): Access {
  const keys = keyRing(context)
  const sessions = sessionRing(context)
  return {
    keys: {
      authenticate: keys.authenticate,
      forget(id) {
        keys.forget(id)
        sessions.forgetKey(id)
      },
    },
    sessions,
    authenticate(request) {
      if (!isFromDashboard(request)) return keys.authenticate(request.headers.authorization)
      checkOrigin(request)
      return sessions.authenticate(digestOf(sessionTokenOf(request)), !isBackground(request))
    },
  }
}
