// A night: a service, an operator's browser, and a receiver of webhooks.
import type { Anvil } from '../../../tooling/anvil.ts'
import { type Desk, openDesk } from '../../browser/support/visit.ts'
import { anvilStage, type Stage, type StageOptions } from '../../e2e/support/stage.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const signingKey = 'a-signing-key-of-32-characters-or-more'

export function startNightReceiver(): Promise<WebhookReceiver> {
  return startReceiver(signingKey)
}

/** The options of a service that sends webhooks to the receiver. */
export function reportingTo({ url }: WebhookReceiver): Pick<StageOptions, 'notifications' | 'service'> {
  return {
    notifications: [{ id: 'hook', url, signingKey }],
    service: { env: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } },
  }
}

export interface Night extends AsyncDisposable {
  readonly desk: Desk<Stage<Anvil>>
  readonly receiver: WebhookReceiver
}

/** With one relayer, whose transactions need two confirmations. */
export async function openNight(): Promise<Night> {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await startNightReceiver())
  const options = { requiredConfirmations: 2, relayers: { one: {} }, ...reportingTo(receiver) }
  const desk = stack.use(await openDesk(() => anvilStage(options)))
  const owned = stack.move()
  return { desk, receiver, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
