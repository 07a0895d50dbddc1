// The rules and the dashboard that are shipped, as data.
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly summary?: string; readonly runbook_url?: string }
}

const file = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

export async function shippedRules(): Promise<readonly Rule[]> {
  const { groups } = parse(await file('deploy/prometheus/rescind.rules.yml')) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

interface Panel {
  readonly type: string
  readonly title: string
  readonly id: number
  readonly targets?: readonly { readonly expr: string }[]
  readonly fieldConfig?: { readonly defaults?: { readonly links?: readonly { readonly url: string }[] } }
}

export async function shippedPanels(): Promise<readonly Panel[]> {
  return (JSON.parse(await file('deploy/grafana/rescind.json')) as { panels: Panel[] }).panels
}
