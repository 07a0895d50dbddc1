// An operator at night: the command line and the pages of the runbook, as a console shows them.
import { tmpdir } from 'node:os'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '../../../src/cli/run.ts'
import { type Client, until } from '../../../tooling/client.ts'
import type { Service } from '../../../tooling/service.ts'
import { samplesOf } from '../../ops/promql.ts'
import { shippedRules } from '../../ops/rules.ts'
import { type Sample, scrape } from '../../support/exposition.ts'
import { readPage, type runbookPages, sectionsOf } from '../../support/runbook.ts'

interface Ran {
  readonly exit: number
  readonly stdout: string
}

/** Runs a command of the command line against the service. */
export async function rescind(
  { url, apiKey }: Pick<Service, 'url' | 'apiKey'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stderr.resume()
  const life = {
    env: { RESCIND_URL: url, API_KEY: apiKey, ...env },
    ...{ directory: tmpdir(), stop: new AbortController().signal, stdout, stderr, stdin },
  }
  const exit = await run(args, life)
  stdout.end()
  return { exit, stdout: await text(stdout) }
}

/**
 * What a command shows, once it shows this. The owner stores its first report a second or two after its first look, and each later one within
 * a second of what it reports.
 */
export function shown(
  service: Pick<Service, 'url' | 'apiKey' | 'logs'>,
  args: readonly string[],
  text: RegExp,
  limitMs = 60_000,
): Promise<Ran> {
  const look = async () => {
    const ran = await rescind(service, args)
    return text.test(ran.stdout) && ran
  }
  return until(look, { limitMs, what: () => `${text}\n${service.logs().slice(-2000)}` })
}

/** The first command of "What to look at" in a section of the runbook, for this relayer. */
export async function firstCommand(
  page: (typeof runbookPages)[number],
  name: string,
  relayer: string,
): Promise<readonly string[]> {
  const [program, ...command] = await firstOf(/`(rescind) ([^`]+)`/, page, name, relayer)
  if (program === undefined) throw new Error(`${page} has no command to look at for ${name}`)
  return command
}

/** What the first command shows, of the command line or of `api`. */
export async function lookAt(
  { service, client }: { readonly service: Service; readonly client: Client },
  page: (typeof runbookPages)[number],
  name: string,
  relayer: string,
): Promise<string> {
  const [program, ...command] = await firstOf(/`(rescind|api) ([^`]+)`/, page, name, relayer)
  if (program === 'rescind') return (await rescind(service, command)).stdout
  const [method, path] = command
  if (method !== 'GET' || path === undefined) throw new Error(`${page} has no command to look at for ${name}`)
  return JSON.stringify((await client.request(method, path)).body)
}

async function firstOf(form: RegExp, page: string, name: string, relayer: string): Promise<readonly string[]> {
  const section = sectionsOf(await readPage(page)).find((each) => each.name === name)
  const [, look = ''] = section?.parts.find(([label]) => label === 'What to look at') ?? []
  const [, program, line = ''] = form.exec(look) ?? []
  if (program === undefined) return []
  return [program, ...line.replace('RELAYER', relayer).replace('evm:NETWORK', 'evm:localhost').split(' ')]
}

/** The samples that the expression of an alert reads from the service now. */
export async function readBy(alert: string, service: Pick<Service, 'metricsUrl'>): Promise<readonly Sample[]> {
  const rule = (await shippedRules()).find((each) => each.alert === alert)
  if (!rule) throw new Error(`there is no alert ${alert}`)
  return samplesOf(rule.expr, await scrape(`${service.metricsUrl}/metrics`))
}
