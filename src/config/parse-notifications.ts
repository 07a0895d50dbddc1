// The notifications of the file: where events go, and the key that signs them.

import type { NotificationSettings } from '../domain/settings.ts'
import { httpUrl } from '../ops/http-url.ts'
import { secretUrl } from '../ops/secret.ts'

import { limits } from './limits.ts'
import { type Members, readMembers, shown } from './members.ts'
import { type Environment, readReference, warnOfBlanks } from './read-reference.ts'
import { type Report, reportApart } from './report.ts'
import type { EntityProblems } from './unused-faults.ts'

export function parseNotifications(
  file: Members,
  env: Environment,
  whole: Report,
): { readonly notifications: readonly NotificationSettings[]; readonly found: readonly EntityProblems[] } {
  const notifications: NotificationSettings[] = []
  const found: EntityProblems[] = []
  for (const { value, place } of file.items('notifications')) {
    const report = reportApart(whole)
    const members = readMembers(value, place, ['id', 'type', 'url', 'signing_key'], report)
    const id = members.requiredText('id')
    if (id !== '' && found.some(({ name }) => name === id)) {
      report.problem(members.place('id'), `"${id}" is defined twice; remove or rename one of the two`)
    }
    const type = members.raw('type')
    if (type !== 'webhook') report.problem(members.place('type'), `is ${shown(type)}; write "webhook"`)

    const text = members.raw('url')
    const url = typeof text === 'string' ? httpUrl(text.trim()) : undefined
    if (!url) {
      report.problem(members.place('url'), 'is no http or https URL (not shown: it may hold a key); write "https://…"')
    }
    const signingKey = members.has('signing_key') ? readReference(members, 'signing_key', env, report) : undefined
    if (signingKey) warnOfBlanks(signingKey, members.place('signing_key'), report)
    const charactersMin = limits.signingKeyCharactersMin
    if (signingKey && signingKey.reveal().length < charactersMin) {
      report.problem(members.place('signing_key'), `is shorter than ${charactersMin} characters; choose a longer one`)
    }
    found.push({ kind: 'notification', name: id, problems: report.problems })
    if (url) notifications.push({ id, type: 'webhook', url: secretUrl(url), ...(signingKey && { signingKey }) })
  }
  const faulty = found.filter(({ problems }) => problems.length > 0).map(({ name }) => name)
  return { notifications: notifications.filter(({ id }) => !faulty.includes(id)), found }
}
