// rescind status: whether the service is ready, and the state and the conditions of each relayer. No node is called, so it answers in an outage, too.
import type { Command } from 'commander'
import type { Client, NotificationView, OverviewView } from '../client/client.ts'
import { isNoBalance } from '../domain/shown-amount.ts'
import { systemClock } from '../ops/clock.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, readAll } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { about, ether, etherAtLeast, runbookAt, table } from './format.ts'
import { type Color, plain, type Terminal } from './terminal.ts'

interface Options extends RelayerOptions {
  readonly watch?: true
}

const refreshMs = 2_000

export function addStatus(program: Command, act: Act): void {
  relayerCommand(program, 'status', 'show whether the service is ready, and the state of its relayers')
    .option('--watch', 'show it again every two seconds, until it is interrupted')
    .action(act(showStatus))
}

async function showStatus({ life, terminal }: Around, options: Options): Promise<Exit> {
  const { url, client } = await connect(life, options)
  while (true) {
    const { version, conditions } = await client.readiness()
    const relayers = await readRelayers(client, options)
    const failing = await readFailing(client, options)
    if (options.watch && !options.json) terminal.clear()
    if (options.json)
      printJson(terminal, options, { url, version, ready: true, conditions, relayers, failing_notifications: failing })
    else {
      terminal.say(`rescind ${version} at ${url} is ready`)
      for (const held of conditions) {
        terminal.print(`this process: ${held.condition} for ${since(held.since)}`)
        if (held.reason) terminal.print(`  ${held.reason}`)
        terminal.print(`  what to do: ${runbookAt(url, held.runbook)}`)
      }
      for (const line of linesOf(terminal, relayers, url)) terminal.print(line)
      for (const line of failing.flatMap((each) => failingLines(each, url))) terminal.print(line)
    }
    const exit = conditions.length > 0 || relayers.some(isStuck) ? exits.stuck : exits.done
    if (!options.watch) return exit
    await systemClock.sleep(refreshMs, life.stop)
    if (life.stop.aborted) return exit
  }
}

/** One value a line where there will be more. */
function printJson(terminal: Terminal, { watch }: Options, value: object): void {
  if (watch) terminal.print(JSON.stringify(value))
  else terminal.printJson(value)
}

async function readRelayers(client: Client, { relayer }: Options): Promise<readonly OverviewView[]> {
  return relayer === undefined ? readAll(client.overview) : [await client.relayerOverview(relayer)]
}

/** The notifications whose last request failed; of one relayer, none. They hold no relayer up. */
async function readFailing(client: Client, { relayer }: Options): Promise<readonly NotificationView[]> {
  return relayer === undefined ? (await readAll(client.notifications)).filter(({ failing }) => failing) : []
}

/** A condition that an operator has acknowledged alarms nobody any more. */
function isStuck({ conditions }: OverviewView): boolean {
  return conditions.some(({ condition, acknowledged }) => condition !== 'paused' && !acknowledged)
}

const stateColors: Readonly<Partial<Record<OverviewView['state'], Color>>> = {
  waiting: 'red',
  unreachable: 'red',
  paused: 'yellow',
  unobserved: 'gray',
}

/** The table, and under it each condition and each warning in full, with the address of its page. */
function linesOf(terminal: Terminal, relayers: readonly OverviewView[], url: string): readonly string[] {
  const head = ['RELAYER', 'NETWORK', 'ADDRESS', 'STATE', 'QUEUED', 'IN FLIGHT', 'BALANCE', 'READ', 'LASTS FOR']
  const [titles = '', ...rows] = table(head, relayers.map(row))
  const painted = rows.map((line, index) => {
    const color = stateColors[relayers[index]?.state ?? 'ok']
    return color === undefined ? line : terminal.paint(color, line)
  })
  const below = relayers.flatMap((relayer) => [...conditionLines(relayer, url), ...warningLines(relayer, url)])
  return [titles, ...painted, ...networkLines(relayers), ...below]
}

function row({ id, network, address, state, queued, in_flight: inFlight, balance, runway }: OverviewView) {
  const read = balance && `${since(balance.read_at)} ago`
  const lasts = runway && about(runway.seconds * 1_000)
  return [
    id,
    network,
    address,
    state,
    queued,
    inFlight,
    balance && (isNoBalance(BigInt(balance.wei)) ? 'none' : ether(balance.wei)),
    read,
    lasts,
  ]
}

/** The networks that are paused as a whole. */
function networkLines(relayers: readonly OverviewView[]): readonly string[] {
  const pauses = new Map(relayers.flatMap(({ network, network_pause: pause }) => (pause ? [[network, pause]] : [])))
  return [...pauses].map(([network, { at, by, note }]) =>
    plain(`network ${network}: paused ${since(at)} ago by ${by}${note ? `: ${note}` : ''}`),
  )
}

const ofBalance: readonly string[] = ['balance_short', 'balance_below_minimum']

/** The payment that ends it, at the prices of now. */
function topUpLines(condition: string, { top_up: topUp }: OverviewView): readonly string[] {
  if (!topUp || topUp.next === '0' || !ofBalance.includes(condition)) return []
  const { next, queue } = topUp
  const all =
    queue && queue.transactions > 1
      ? `, at least ${etherAtLeast(queue.wei)} for the first ${queue.transactions} that wait`
      : ''
  return [`  top it up by: ${etherAtLeast(next)} for the next transaction${all}`]
}

function conditionLines(relayer: OverviewView, url: string): readonly string[] {
  const { id, conditions } = relayer
  return conditions.flatMap(({ condition, since: began, text, acknowledged, runbook }) => {
    const note =
      acknowledged && `; acknowledged ${since(acknowledged.at)} ago${acknowledged.note ? `: ${acknowledged.note}` : ''}`
    const line = `${id}: ${condition} for ${since(began)}${text === undefined ? '' : `: ${text}`}${note ?? ''}`
    return [plain(line), ...topUpLines(condition, relayer), `  what to do: ${runbookAt(url, runbook)}`]
  })
}

/** They hold nothing up, so they count neither in the state nor in the exit code. */
function warningLines({ id, warnings }: OverviewView, url: string): readonly string[] {
  return warnings.flatMap(({ warning, since: began, text, runbook }) => [
    plain(`${id}: warning ${warning} for ${since(began)}: ${text}`),
    `  what to do: ${runbookAt(url, runbook)}`,
  ])
}

function failingLines({ id, url, failing }: NotificationView, service: string): readonly string[] {
  if (!failing) return []
  const line = plain(`notification ${id} (${url}): fails for ${since(failing.since)}: ${failing.error}`)
  return [line, `  what to do: ${runbookAt(service, '/docs/alerts.md#rescindwebhookfailing')}`]
}

function since(time: string): string {
  return about(systemClock.now() - Date.parse(time))
}
