// A configuration that can't be run, with everything that is wrong with it at once.

export interface Problem {
  /** A variable's name, or the path of a member: `relayers[0].policies.min_balance`. */
  readonly place: string
  /** What is there, where it is no secret, and the fix. */
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
