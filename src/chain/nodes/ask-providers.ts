// Asks several providers the same, where the answer of one alone would cost too much if it were false.
import type { Endpoint } from './endpoint.ts'
import type { Endpoints } from './endpoints.ts'

/**
 * The answers, at most one of each provider: of two at once, the preferred endpoint among them, then of one after the other until they
 * are enough. Endpoints without an answer are left out. Never rejects.
 */
export async function askProviders<T>(
  endpoints: Pick<Endpoints, 'order'>,
  preferred: Endpoint,
  ask: (endpoint: Endpoint) => Promise<T | undefined>,
  isEnough: (answers: readonly T[]) => boolean,
): Promise<readonly T[]> {
  const answers = new Map<string, T>()
  const hear = async (endpoint: Endpoint): Promise<void> => {
    const answer = (await endpoint.ready()) === undefined ? await ask(endpoint) : undefined
    if (answer !== undefined) answers.set(endpoint.provider, answer)
  }
  const [first, ...others] = endpoints.order(preferred)
  if (!first) return []
  const second = others.find((endpoint) => endpoint.provider !== first.provider && endpoint.fit())
  await Promise.all([first, ...(second ? [second] : [])].map(hear))
  for (const endpoint of others) {
    if (isEnough([...answers.values()])) break
    if (endpoint !== second && endpoint.fit() && !answers.has(endpoint.provider)) await hear(endpoint)
  }
  return [...answers.values()]
}

/** Figures of several providers. `lower`: of two that differ, where no third one decides. */
export interface MiddleFigure {
  readonly figure: number
  readonly lower?: number
}

/** Whether the higher of two figures exceeds the lower by no more than this factor. */
export function isAlike(one: number, other: number, factor: number): boolean {
  return Math.max(one, other) <= Math.min(one, other) * factor
}

/** The higher of two, or the middle of three: then one false figure decides nothing. Undefined without any. */
export function middleFigure(figures: readonly number[], factor: number): MiddleFigure | undefined {
  const rising = figures.toSorted((one, other) => one - other)
  const [lower] = rising
  const figure = rising[rising.length >> 1]
  if (lower === undefined || figure === undefined) return undefined
  return rising.length === 2 && !isAlike(lower, figure, factor) ? { figure, lower } : { figure }
}
