// Whether a statement that nothing takes back needs endpoints of two providers.
/**
 * - `prefer`: two. One suffices where all endpoints belong to one provider, or after all others were silent for long.
 * - `require`: two, however long that takes.
 * - `off`: whatever one endpoint said before.
 */
export const secondWitnessModes = ['prefer', 'require', 'off'] as const
export type SecondWitness = (typeof secondWitnessModes)[number]

/** The time of silence of all others after which one endpoint may be enough. */
export const aloneAfterMs = 600_000

export interface WitnessRule {
  readonly secondWitness: SecondWitness
  /** The silence of all other providers after which one suffices, under `prefer`. */
  readonly witnessSilentMs: number
}
