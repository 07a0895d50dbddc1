// The problems of a configuration, by place, and the error that carries them.

export interface Problem {
  /** A variable's name, or the path of a member: `relayers[0].policies.min_balance`. */
  readonly place: string
  /** The value found there, where it is no secret, and the fix. */
  readonly message: string
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    const lines = problems.map(({ place, message }) => `  - ${place}: ${message}`)
    super([`the configuration has ${count}:`, ...lines].join('\n'))
    this.problems = problems
  }
}

export interface Report {
  problem(place: string, message: string): void
  /** Accepted, but not as its author may believe. */
  warn(place: string, message: string): void
  readonly warnings: readonly string[]
  /** Throws ConfigError when there was any problem. */
  conclude(): void
}

/** A report on a part of the file, whose problems are not those of the file yet. */
export interface PartialReport extends Report {
  readonly problems: readonly Problem[]
}

/** Warnings are those of the whole. */
export function reportApart(report: Report): PartialReport {
  const problems: Problem[] = []
  return {
    ...report,
    problems,
    problem(place, message) {
      const isThere = problems.some((each) => each.place === place && each.message === message)
      if (!isThere) problems.push({ place, message })
    },
  }
}

export function openReport(): Report {
  const problems = new Map<string, Problem>()
  const warnings: string[] = []
  return {
    warnings,
    problem(place, message) {
      // A member that is read twice, such as an inherited one, is one problem.
      problems.set(JSON.stringify([place, message]), { place, message })
    },
    warn(place, message) {
      const line = `${place}: ${message}`
      if (!warnings.includes(line)) warnings.push(line)
    },
    conclude() {
      if (problems.size > 0) throw new ConfigError([...problems.values()])
    },
  }
}
