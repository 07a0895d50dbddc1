// Mounts the dashboard: its session, its pages, and their script and style.
import type { Mounting } from '../request/mount.ts'
import { assetRoutes, type UnknownPage } from './assets.ts'
import { type DashboardSessions, sessionOperations } from './session-operations.ts'

export function dashboardRoutes(at: Mounting, sessions: DashboardSessions): UnknownPage {
  sessionOperations(at, sessions)
  return assetRoutes(at)
}
