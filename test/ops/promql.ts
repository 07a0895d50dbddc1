// What a PromQL expression reads, by Prometheus's own grammar: metrics, and the labels that it matches or groups by.
import { parser } from '@prometheus-io/lezer-promql'

interface Reads {
  /** Metric to the labels that are matched of it. */
  readonly selectors: readonly { readonly metric: string; readonly labels: readonly string[] }[]
  /** Labels that any aggregation groups by. */
  readonly groupings: readonly string[]
}

/** Throws where the expression does not parse. */
export function readsOf(expression: string): Reads {
  const tree = parser.parse(expression)
  const selectors: { metric: string; labels: string[] }[] = []
  const groupings: string[] = []
  let inGrouping = false
  tree.iterate({
    enter({ name, type, from, to }) {
      const text = expression.slice(from, to)
      if (type.isError) throw new Error(`${expression} does not parse at ${from}: "${text}"`)
      if (name === 'GroupingLabels') inGrouping = true
      if (name === 'Identifier') selectors.push({ metric: text, labels: [] })
      if (name !== 'LabelName') return
      if (inGrouping) groupings.push(text)
      else selectors.at(-1)?.labels.push(text)
    },
    leave({ name }) {
      if (name === 'GroupingLabels') inGrouping = false
    },
  })
  return { selectors, groupings }
}
