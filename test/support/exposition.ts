// Prometheus's text exposition format, read strictly: what a scraper would refuse or misread throws here.
import { request } from 'undici'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

interface Family {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: readonly Sample[]
}

export type Exposition = ReadonlyMap<string, Family>

export async function scrape(url: string): Promise<Exposition> {
  const answer = await request(url)
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}: ${text}`)
  const type = String(answer.headers['content-type'])
  if (!type.startsWith('text/plain; version=0.0.4')) throw new Error(`${url} is ${type}`)
  return parseExposition(text)
}

/** The value of the one series with these labels; undefined where there is none. */
export function readingOf(
  exposition: Exposition,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = exposition.get(name) ?? exposition.get(name.replace(/_(?:bucket|sum|count)$/, ''))
  const found = (family?.samples ?? []).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  if (found.length > 1) throw new Error(`${name}${JSON.stringify(labels)} means ${found.length} series`)
  return found[0]?.value
}

export function parseExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('does not end with a line feed')
  const families = new Map<string, { name: string; help: string; type: string; samples: Sample[] }>()
  let current: { name: string; help: string; type: string; samples: Sample[] } | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line)
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line)
    if (help) {
      const name = help[1] as string
      if (families.has(name)) throw new Error(`${name} is told twice`)
      current = { name, help: help[2] as string, type: '', samples: [] }
      families.set(name, current)
    } else if (type) {
      if (!current || current.name !== type[1]) throw new Error(`the type of ${type[1]} does not follow its help`)
      current.type = type[2] as string
    } else {
      const sample = parseSample(line)
      if (!current || current.type === '' || !belongs(sample.name, current)) throw new Error(`stray sample: ${line}`)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) check(family)
  return families
}

function belongs(name: string, { name: family, type }: Family): boolean {
  if (type !== 'histogram') return name === family
  return ['_bucket', '_sum', '_count'].some((ending) => name === family + ending)
}

/** Prometheus reads numbers as Go does, NaN in any case; prom-client writes Nan. */
function parseSample(line: string): Sample {
  const parts = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|Nan|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(
    line,
  )
  if (!parts) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  const pair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
  const inside = parts[2] ?? ''
  while (pair.lastIndex < inside.length) {
    const found = pair.exec(inside)
    if (!found) throw new Error(`bad labels: ${line}`)
    labels[found[1] as string] = found[2] as string
  }
  return {
    name: parts[1] as string,
    labels,
    value: Number((parts[3] as string).replace('Inf', 'Infinity').replace('Nan', 'NaN')),
  }
}

function check({ name, type, samples }: Family): void {
  if (type === '') throw new Error(`${name} has no type`)
  if (type === 'counter' && !name.endsWith('_total')) throw new Error(`the counter ${name} does not end in _total`)
  const series = samples.map((sample) => sample.name + JSON.stringify(Object.entries(sample.labels).sort()))
  if (new Set(series).size !== series.length) throw new Error(`${name} has a series twice`)
  if (samples.some(({ value }) => type === 'counter' && !(value >= 0))) throw new Error(`${name} counts below 0`)
  if (type !== 'histogram') return
  for (const { labels, value } of samples.filter((sample) => sample.name === `${name}_count`)) {
    const buckets = samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` &&
        Object.entries(labels).every(([label, each]) => sample.labels[label] === each),
    )
    const values = buckets.map((bucket) => bucket.value)
    if (values.some((each, index) => index > 0 && each < (values[index - 1] ?? 0))) throw new Error(`${name} falls`)
    const { le } = buckets.at(-1)?.labels ?? {}
    if (le !== '+Inf' || values.at(-1) !== value) throw new Error(`${name} does not add up`)
  }
}
