// Starts the service on its hosts, and sends the requests of clients to a process that is up.
import { type BulkOrder, createBulk } from '../src/commands/bulk-cancellations/create.ts'
import { previewBulk } from '../src/commands/bulk-cancellations/preview.ts'
import type { CommandContext } from '../src/commands/context.ts'
import { storeNetworkPause } from '../src/commands/networks/pause-network.ts'
import { storeSweep } from '../src/commands/relayers/sweep.ts'
import { cancelTransaction } from '../src/commands/transactions/cancel.ts'
import { cancelPending } from '../src/commands/transactions/cancel-pending.ts'
import { releaseTransaction, releaseTransactions } from '../src/commands/transactions/release.ts'
import { replaceTransaction } from '../src/commands/transactions/replace.ts'
import { submitTransaction } from '../src/commands/transactions/submit.ts'
import type { Requester } from '../src/domain/audit.ts'
import { cancel } from '../src/domain/cancel.ts'
import { RescindError } from '../src/domain/errors.ts'
import { permitMsMax, permittedFillsMax } from '../src/domain/gap-record.ts'
import type { Address, ApiKeyId, RelayerId, TransactionId } from '../src/domain/ids.ts'
import type { Relayer } from '../src/domain/relayer.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import type { Session, Store } from '../src/store/store.ts'
import { formOf, gasAround } from './chain/gas-rules.ts'
import { watchAtMost } from './check/at-most.ts'
import { watchBulks } from './check/bulks.ts'
import { type ClientRequest, checkRefusals } from './check/refusals.ts'
import { settingKey } from './four-eyes.ts'
import { ended, type Host } from './host.ts'
import { epochMs, networkName, type Process, policiesOf, relayerName } from './process/engine.ts'
import { ofClient, ProcessEnded } from './process/store.ts'
import { openReplica } from './replica.ts'
import { wantAgain } from './restore.ts'
import type { Service } from './service.ts'
import { openSingleProcess } from './single-process.ts'
import type { World } from './world.ts'

type Engine = Awaited<Process['engine']>

/** A sweep as policies see it. Its value is settled later, and is 1 wei at least. */
function sweepOf(to: Address): SendRequest {
  return { to, value: 1n, data: '0x', pricing: { kind: 'speed', speed: 'fast' } }
}

function requesterOf(operation: string, keyId = 'operator' as ApiKeyId): Requester {
  return { keyId, operation, requestId: 'sim', address: '' }
}

/** The process shuts down, or its host has another process by now. */
function isLeaving(host: Host, process: Process): boolean {
  return host.isDraining() || host.present() !== process
}

export function openService(world: World): Service {
  const { history, clients, dice } = world
  const { replicas } = world.scenario
  const bulks = watchBulks(world.machine.disk, history.fail)
  const idOf = (relayer: number) => relayerName(relayer) as RelayerId
  const bounds = watchAtMost(world.machine.disk, history.fail)
  const refusals = checkRefusals(world.machine.disk)
  const nowMs = () => Math.floor(epochMs + world.timeline.now() + world.state.skewMs)
  let processes = 0
  let made = 0
  const nextProcessId = () => {
    processes += 1
    return processes
  }
  const open = replicas ? openReplica : openSingleProcess
  const hosts = Array.from({ length: replicas?.atFirst ?? 1 }, () => open(world, nextProcessId))
  const [lone] = hosts
  const here = () => hosts.filter((host) => !host.hasLeft())

  /** The host of the next request, or of the next fault. */
  function someHost(): Host {
    if (!replicas && lone) return lone
    return dice.pick(here())
  }

  /** Sends a request to a process that is up. `done` gets the answer and the position of the database transaction. */
  async function callApi<T>(
    what: string,
    relayer: number | undefined,
    run: (commands: Engine['commands'], engine: Engine) => Promise<T>,
    done: (answer: T, place: number) => void,
    of: ClientRequest = { operation: 'operate' },
  ): Promise<void> {
    const began = nowMs()
    let found = refusals.find(of)
    const host = someHost()
    const process = host.present()
    if (!process || host.isDraining() || process.instance.state !== 'alive') return
    try {
      const engine = await process.engine
      const { commands } = engine
      const answered =
        relayer !== undefined && what.startsWith('DELETE all') ? bulks.requested(what, idOf(relayer)) : undefined
      let place = -1
      const store: Store = {
        ...commands.store,
        commit: (unit, ...rows) =>
          commands.store.commit(
            ofClient((session) => {
              const done = unit(session)
              // Read at the end of the database transaction, which may take a while.
              const note = () => {
                place = world.state.position
                found = refusals.find(of)
              }
              done.then(note, note)
              return done
            }),
            ...rows,
          ),
      }
      const answer = await run({ ...commands, store }, engine)
      if (process.instance.state !== 'alive') return
      history.note(`${what}: ok`)
      if (!host.wasShared()) answered?.()
      done(answer, place)
    } catch (error) {
      if (error instanceof RescindError) {
        history.note(`${what}: ${error.code}`)
        const facts = { ...refusalFacts, isLeaving: () => ended(process) || isLeaving(host, process) }
        const fault = refusals.fault(error.code, { ...found, of, nowMs: Math.max(began, nowMs()), facts })
        if (fault !== undefined) history.fail(`${what}: ${fault}: ${error.message}`)
      } else if (error instanceof ProcessEnded || ended(process) || isLeaving(host, process))
        history.note(`${what}: gone`)
      else history.fail(`${what}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }

  const refusalFacts = {
    gasOf: (request: SendRequest) => gasAround(formOf('0x', request), world.state.gasForkAt).most,
    isFcfs: world.scenario.kind.isFcfs,
  }

  function createOf(wanted: Pick<BulkOrder, 'request' | 'atMost'> & { readonly relayers: readonly RelayerId[] }) {
    for (const relayer of wanted.relayers) clients.requested.add(relayer)
    made += 1
    const order = { ...wanted, key: `bulk-${made}`, requester: requesterOf('createBulkCancellation') }
    const { atMost, request } = wanted
    const what = `POST bulk ${made} over ${wanted.relayers.length}${atMost === undefined ? '' : `, at most ${atMost}`}`
    const bounded = atMost === undefined ? undefined : bounds.requested(what, atMost)
    void callApi(
      what,
      undefined,
      async (commands, { stops }) => {
        const { bulk } = await createBulk(commands, stops, order)
        const parts = bulk.parts.map(({ number }) => number)
        const { items } = await commands.store.reads.bulkTransactions(parts, { page: 1, perPage: 1_000 })
        return Promise.all(items.map((item) => item.read()))
      },
      (taken) => {
        // How many a limit leaves depends on the price of the moment.
        if (!request.only && request.maxCost === undefined) bounded?.(taken)
        for (const each of taken) {
          if (each && !clients.deleted.has(each.id)) clients.deleted.set(each.id, world.state.position)
        }
      },
      { operation: 'bulk', isPriced: request.maxCost !== undefined, atMost },
    )
  }

  return {
    up: () => hosts.some((host) => host.present()?.instance.state === 'alive' && !host.isDraining()),
    start() {
      for (const host of hosts) host.begin()
    },
    scheduleEnd: (end, effectsLeft) => someHost().scheduleEnd(end, effectsLeft),
    restart: () => someHost().drain('restart'),
    reconfigure() {
      for (const host of here()) host.drain('restart')
    },
    patch() {
      const { scenario, state } = world
      for (let relayer = 0; relayer < scenario.relayers; relayer += 1) {
        const { policies } = state
        const [id, paused] = [idOf(relayer), policies.paused[relayer] ?? false]
        const change = async ({ store, wake }: CommandContext) => {
          await store.commit(async (session) => {
            const known = await session.relayer(id)
            if (!known) return
            if (known.paused && !paused) world.bulkTerms?.lifts(id)
            // A pause of a bulk cancellation lies over the file, with the policies of its moment.
            if (scenario.bulkTerms !== undefined) await session.removeEntity('relayer', id)
            await session.saveRelayer({ ...known, paused, policies: policiesOf(scenario, policies, state.presign) })
          })
          wake(id)
        }
        // No transaction changes.
        void callApi(`PATCH r${relayer}`, undefined, change, () => undefined)
      }
    },
    leave() {
      if (here().length > 1) someHost().drain('leave')
    },
    loseReplica() {
      if (here().length < 2) return
      history.note('a replica is gone for good')
      someHost().lose()
    },
    join() {
      const away = hosts.find((host) => host.hasLeft() && !host.present())
      if (away) return away.begin()
      if (hosts.length >= (replicas?.most ?? 1)) return
      const host = open(world, nextProcessId)
      hosts.push(host)
      host.begin()
    },
    someProcess: () => someHost().present(),
    send(relayer, tag, request) {
      const key = settingKey(world, tag)
      const requester = key && requesterOf('sendTransaction', key)
      void callApi(
        `send ${tag} to r${relayer}`,
        relayer,
        (commands) => submitTransaction(commands, idOf(relayer), request, requester),
        ({ id }) => clients.accepted.set(id, { relayer, tag }),
        { operation: 'send', relayer: idOf(relayer), request },
      )
    },
    replace(relayer, id, tag, request) {
      // The replacement may be stored although its answer is lost.
      const wantsAgain = () => wantAgain(world, tag)
      const key = settingKey(world, tag)
      const replacer = key && { requester: requesterOf('replaceTransaction', key), mayCancel: true }
      void callApi(
        `PUT ${tag} over ${id.slice(-6)}`,
        relayer,
        (commands) =>
          replaceTransaction(commands, idOf(relayer), id as TransactionId, request, replacer).catch(
            (error: unknown) => {
              if (!(error instanceof RescindError)) wantsAgain()
              throw error
            },
          ),
        () => {
          wantsAgain()
          clients.replaced.push({ id, tag })
        },
        { operation: 'replace', relayer: idOf(relayer), id, request },
      )
    },
    cancel(relayer, id) {
      clients.requested.add(id)
      void callApi(
        `DELETE ${id.slice(-6)}`,
        relayer,
        (commands) => cancelTransaction(commands, idOf(relayer), id as TransactionId),
        (_, place) => {
          if (!clients.deleted.has(id)) clients.deleted.set(id, place)
        },
        { operation: 'cancel', id },
      )
    },
    cancelWithin(relayer, id, costMax) {
      clients.requested.add(id)
      const bound = async ({ store, clock, wake }: CommandContext) => {
        await store.commit(
          async (session) => {
            const found = await session.transaction(idOf(relayer), id as TransactionId)
            if (!found) throw new RescindError('TRANSACTION_NOT_FOUND', 'no such transaction')
            const after = cancel(found, clock.now(), 'request', costMax)
            if (after !== found) await session.saveTransaction(found, after, clock.now())
          },
          idOf(relayer),
          { transactions: [id as TransactionId] },
        )
        wake(idOf(relayer))
      }
      const done = (_: void, place: number) => {
        if (!clients.deleted.has(id)) clients.deleted.set(id, place)
      }
      void callApi(`DELETE ${id.slice(-6)} within ${costMax}`, relayer, bound, done, { operation: 'cancel', id })
    },
    cancelPending(relayer) {
      clients.requested.add(idOf(relayer))
      void callApi(
        `DELETE all of r${relayer}`,
        relayer,
        (commands) => cancelPending(commands, idOf(relayer)),
        ({ canceled, failed }, place) => {
          for (const id of canceled) if (!clients.deleted.has(id)) clients.deleted.set(id, place)
          for (const { id, reason } of failed) history.fail(`DELETE all left ${id.slice(-6)}: ${reason}`)
        },
        { operation: 'cancelAll' },
      )
    },
    release(relayer, ids) {
      world.holds.requested(ids)
      void callApi(
        `release ${ids.map((id) => id.slice(-6)).join()}`,
        relayer,
        (commands) =>
          releaseTransactions(
            commands,
            idOf(relayer),
            (ids as readonly TransactionId[]).map((id) => ({ id })),
          ),
        () => undefined,
        { operation: 'release', relayer: idOf(relayer) },
      )
    },
    approve({ id, relayer_id: relayerId }, shown, key) {
      world.holds.requested([id])
      if (shown) world.fourEyes.approves(shown.tag, key)
      const wanted = { id, ...(shown && { digest: shown.digest }) }
      void callApi(
        `release ${id.slice(-6)}${shown ? ` as ${shown.tag}` : ''} by ${key}`,
        Number(relayerId.slice(1)),
        (commands) => releaseTransaction(commands, relayerId, wanted, requesterOf('releaseTransaction', key)),
        () => undefined,
        { operation: 'release', relayer: relayerId, id, shown, key },
      )
    },
    cancelSome(relayers, terms) {
      createOf({ request: terms, relayers: relayers.map(idOf) })
    },
    preview(relayers, request) {
      const order = { terms: request, relayers: relayers.map(idOf) }
      void callApi(
        `preview over ${relayers.length}`,
        undefined,
        (commands, { stops }) => previewBulk(commands, stops, order),
        ({ instant, parts }) => {
          const matches = parts.reduce((sum, part) => sum + part.matches, 0)
          world.knownPreviews.push({ instant, matches, request, relayers: order.relayers })
        },
        { operation: 'preview' },
      )
    },
    cancelAsShown({ instant, matches, request, relayers }) {
      const filter = { ...request.filter, createdTo: instant }
      createOf({ request: { ...request, filter }, relayers, atMost: matches })
    },
    sweep(relayer, tag, to) {
      const requester = requesterOf('sweepRelayer')
      const pause = async (session: Session, known: Relayer) => {
        const paused = { ...known, paused: true }
        await session.saveRelayer(paused)
        return paused
      }
      void callApi(
        `sweep ${tag} of r${relayer}`,
        relayer,
        (commands) => storeSweep(commands, idOf(relayer), { to }, requester, pause),
        ({ transaction: { id } }) => clients.accepted.set(id, { relayer, tag }),
        { operation: 'sweep', relayer: idOf(relayer), request: sweepOf(to) },
      )
    },
    pauseNetwork(paused) {
      const requester = requesterOf(paused ? 'pauseNetwork' : 'resumeNetwork')
      const mark = (commands: CommandContext) => {
        const pause = { at: commands.clock.now(), by: requester.keyId }
        return storeNetworkPause(commands, networkName, paused ? pause : undefined, requester)
      }
      void callApi(`${paused ? 'pause' : 'resume'} the network`, undefined, mark, () => undefined)
    },
    permitGapFillers(relayer) {
      const id = idOf(relayer)
      const permit = async ({ store, clock, wake }: CommandContext) => {
        const grantedAt = clock.now()
        const given = { fills: permittedFillsMax, grantedAt, expiresAt: grantedAt + permitMsMax }
        await store.commit((session) => session.permitGapFillers(id, given))
        wake(id)
      }
      void callApi(`gap fillers of r${relayer}`, undefined, permit, () => undefined)
    },
    resumePaused() {
      for (const host of hosts) host.wake()
    },
    stop() {
      for (const host of hosts) host.stop()
    },
    recover() {
      for (const host of hosts) host.recover()
    },
    close() {
      for (const host of hosts) host.close()
    },
  }
}
