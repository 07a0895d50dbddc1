// Mounts the dashboard: its session, its pages, and their script and style.
import type { Mounting } from '../request/mount.ts'
import { assetRoutes } from './assets.ts'
import { type DashboardSessions, sessionOperations } from './session-operations.ts'

export function dashboardRoutes(at: Mounting, sessions: DashboardSessions): void {
  sessionOperations(at, sessions)
  assetRoutes(at)
}
