// What a PromQL expression reads, by Prometheus's own grammar: metrics, and the labels that it matches or groups by.
import { parser } from '@prometheus-io/lezer-promql'
import type { Exposition, Sample } from '../support/exposition.ts'

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

/** The samples that the selectors of an expression match, without its functions and comparisons. */
export function samplesOf(expression: string, exposition: Exposition): readonly Sample[] {
  const all = [...exposition.values()].flatMap(({ samples }) => samples)
  const found = new Set<Sample>()
  const selectors: { metric: string; matchers: ((sample: Sample) => boolean)[] }[] = []
  parser.parse(expression).iterate({
    enter({ name, from, to }) {
      const text = expression.slice(from, to)
      if (name === 'Identifier') selectors.push({ metric: text, matchers: [] })
      if (name === 'UnquotedLabelMatcher') selectors.at(-1)?.matchers.push(matcherOf(text))
    },
  })
  for (const { metric, matchers } of selectors) {
    for (const sample of all)
      if (sample.name === metric && matchers.every((isMatch) => isMatch(sample))) found.add(sample)
  }
  return [...found]
}

/** A label that a sample lacks is empty, and an expression has to match all of a value. */
function matcherOf(text: string): (sample: Sample) => boolean {
  const [, label = '', operator = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? []
  const pattern = new RegExp(`^(?:${value})$`)
  return ({ labels }) => {
    const own = labels[label] ?? ''
    const isSame = operator.endsWith('~') ? pattern.test(own) : own === value
    return operator.startsWith('!') ? !isSame : isSame
  }
}
