// A configuration through one replica counts on all of them, and each reports the work of the others.
import { expect, test } from 'vitest'
import { devAccount } from '../../tooling/anvil.ts'
import { until } from '../../tooling/client.ts'
import { openReplicas, poorRelayers } from '../../tooling/replicas.ts'
import { manage, refused, storageKey } from '../manage/support/manager.ts'
import { openEventStream } from '../support/event-stream.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const signingKey = 'a-signing-key-of-32-characters-or-more'
const send = { to: receiver, value: '1', gas_limit: 21_000, speed: 'average' }

test('a relayer that is made on one is advanced, patched and reported on others, and its owner may die', async () => {
  await using hook = await startReceiver(signingKey)
  await using place = await openReplicas({
    relayers: poorRelayers(2),
    env: { STORAGE_ENCRYPTION_KEY: storageKey(1), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' },
  })
  // All at once, on an empty database.
  const as = (role: string) => ({ env: { ROLE: role } })
  const [api, second, dying] = await Promise.all([
    place.add('api', as('api')),
    place.add('second', as('api')),
    place.add('one', as('worker')),
    place.add('other', as('worker')),
  ])

  await manage(api.client, 'POST', '/signers', { id: 'made', type: 'plain', config: { key: devAccount(0).key } })
  await manage(second.client, 'POST', '/notifications', { id: 'hook', url: hook.url, signing_key: signingKey })
  await manage(api.client, 'POST', '/relayers', {
    ...{ id: 'made', name: 'made', network: 'localhost', network_type: 'evm', signer_id: 'made' },
    ...{ notification_id: 'hook', paused: false, policies: { max_in_flight: 1 } },
  })
  await using stream = openEventStream(second.service.url, second.service.apiKey, { query: 'relayer_id=made' })
  await until(() => stream.status === 200, { what: 'the stream' })
  const sent = [await second.client.send('made', send), await api.client.send('made', send)]
  const statuses = async () => Promise.all(sent.map(async ({ id }) => (await api.client.get('made', id)).status))
  await until(async () => String(await statuses()) === 'submitted,pending', { what: 'the first to be sent' })
  await manage(second.client, 'PATCH', '/relayers/made', { policies: { max_in_flight: 2 } })
  await until(async () => String(await statuses()) === 'submitted,submitted', { what: 'both to be sent' })

  // The tests' own relayers are not in the way: each worker has its share, and one of them has this one.
  const owners = async () => {
    const rows = await place.query<{ name: string }>(
      "SELECT DISTINCT application_name AS name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'",
    )
    return String(rows.map(({ name }) => name).sort())
  }
  // On a busy machine one may have missed its lease, and is about to join again.
  await until(async () => (await owners()) === 'replica one,replica other', {
    what: 'workers, and nobody else, to own',
  })
  await dying.service.kill9()
  sent.push(await api.client.send('made', send))
  await until(
    async () => {
      await place.node.mine()
      return (await statuses()).every((status) => status === 'confirmed')
    },
    { everyMs: 100, limitMs: 30_000, what: 'all to be confirmed' },
  )

  const terminal = (events: readonly { terminal: boolean; payload: { id: string } }[]) =>
    events.filter((event) => event.terminal).map(({ payload }) => payload.id)
  const ids = sent.map(({ id }) => id)
  await until(() => terminal(stream.events).length === 3, { what: 'the events on the stream of another replica' })
  expect(terminal(stream.events)).toEqual(ids)
  // One of the workers may have died with a request under way: that event comes again, under its id.
  const reported = () => [...new Map(hook.taken.map(({ event }) => [event.id, event])).values()]
  await until(() => terminal(reported()).length === 3, { limitMs: 40_000, what: 'the events at the receiver' })
  expect(hook.forged).toEqual([])
  expect(
    reported()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(stream.events.map(({ id }) => id).sort())

  await manage(second.client, 'DELETE', '/relayers/made')
  expect(await refused(api.client, 'POST', '/relayers/made/transactions', send)).toMatchObject({ status: 404 })
  await manage(api.client, 'DELETE', '/signers/made')
}, 180_000)

test('a network that is paused on one is paused on all, and resumed on all', async () => {
  await using place = await openReplicas({ relayers: poorRelayers(2), env: { STORAGE_ENCRYPTION_KEY: storageKey(1) } })
  const as = (role: string) => ({ env: { ROLE: role } })
  const [api, second] = await Promise.all([place.add('api', as('api')), place.add('second', as('api'))])
  await place.add('worker', as('worker'))
  await manage(api.client, 'POST', '/signers', { id: 'made', type: 'plain', config: { key: devAccount(0).key } })
  await manage(api.client, 'POST', '/relayers', {
    ...{ id: 'made', name: 'made', network: 'localhost', network_type: 'evm', signer_id: 'made' },
    ...{ paused: false, policies: { max_in_flight: 1 } },
  })
  const [first, waiting] = [await api.client.send('made', send), await second.client.send('made', send)]
  const reaches = (id: string, status: string) =>
    until(async () => (await api.client.get('made', id)).status === status, { what: `${id} to be ${status}` })
  await reaches(first.id, 'submitted')

  const paused = await manage(api.client, 'PUT', '/networks/evm:localhost/pause', { note: 'halted' })
  expect(await manage(second.client, 'GET', '/networks/evm:localhost')).toMatchObject({ pause: paused.pause })
  expect(await refused(second.client, 'POST', '/relayers/made/transactions', send)).toMatchObject({
    message: 'network "localhost" is paused: relayer "made" takes no new transactions',
  })
  await until(
    async () => {
      await place.node.mine()
      return (await api.client.get('made', first.id)).status === 'confirmed'
    },
    { everyMs: 100, what: 'the one in flight to be confirmed' },
  )
  const condition = async () =>
    (await manage(second.client, 'GET', `/relayers/made/transactions/${waiting.id}/trace`)).wait
  await until(async () => (await condition())?.condition === 'paused', { what: 'the worker to wait' })
  expect((await second.client.get('made', waiting.id)).nonce).toBeUndefined()
  await manage(second.client, 'DELETE', '/networks/evm:localhost/pause')
  await reaches(waiting.id, 'submitted')
}, 120_000)
