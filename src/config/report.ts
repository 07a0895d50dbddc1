// Where parsing says what it finds, so that one start shows every problem instead of the first.
import { ConfigError, type Problem } from './config-error.ts'

export interface Report {
  problem(place: string, message: string): void
  /** Accepted, but not as its author may believe. */
  warn(place: string, message: string): void
  readonly warnings: readonly string[]
  /** Throws ConfigError when there was any problem. */
  conclude(): void
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
