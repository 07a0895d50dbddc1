// Mounts the operations on API keys and on the audit log.
import type { CommandContext } from '../../commands/context.ts'
import type { KeyRing } from '../request/key-ring.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { createApiKey } from './create-api-key.ts'
import { listAuditLog } from './list-audit-log.ts'
import { getApiKey, listApiKeys } from './read-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'

export function apiKeyRoutes(at: Mounting, commands: CommandContext, keys: KeyRing): void {
  const { reads } = commands.store
  mount(at, 'POST', '/api-keys', createApiKey(commands))
  mount(at, 'GET', '/api-keys', listApiKeys(reads))
  mount(at, 'GET', '/api-keys/:api_key_id', getApiKey(reads))
  mount(at, 'GET', '/audit-log', listAuditLog(reads))
  mount(at, 'DELETE', '/api-keys/:api_key_id', revokeApiKey(commands, keys))
}
