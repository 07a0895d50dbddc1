// What holds for every decision of a kind. A new kind needs a row: each trait is a question that its author has to answer.
import type { Decision } from './decision.ts'

/** One group of signatures of each purpose is under way at a time, so that none of them waits for another purpose. */
export type SigningPurpose = 'cancel' | 'replace' | 'bind'

interface Traits {
  /** It needs a signature, for this purpose. */
  readonly signs: SigningPurpose | false
  /** Its next step comes at once, as a reopened payload's or a race's: the next block may be the rival's. */
  readonly isPressing: boolean
  /** It waits until nodes have answered payloads that are on their way. A payload that overtakes another may be refused for the gap. */
  readonly waitsForAnswers: boolean
  /** It says nothing about the transaction's wait, which is then over. */
  readonly isSilent: boolean
  /** It follows the relayer's own rules, so a change of these that was answered meanwhile refuses it. The chain dictates the others. */
  readonly followsRules: boolean
}

const byChain = {
  signs: false,
  isPressing: false,
  waitsForAnswers: false,
  isSilent: false,
  followsRules: false,
} as const
const pressing = { ...byChain, isPressing: true } as const
const byRules = { ...byChain, followsRules: true } as const

export const traits = {
  assignNonce: { ...byRules, signs: 'bind' },
  fillGap: { ...byRules, signs: 'bind' },
  bump: { ...byRules, signs: 'replace', waitsForAnswers: true, isSilent: true },
  replace: { ...byRules, signs: 'replace', waitsForAnswers: true, isSilent: true },
  // A no-op waits for no payload's answer: none of its broadcasts would be in time otherwise.
  signNoOp: { ...byRules, signs: 'cancel', waitsForAnswers: false, isSilent: true },
  usePresigned: { ...byRules, waitsForAnswers: false, isSilent: true },
  rebroadcast: { ...byChain, waitsForAnswers: true, isSilent: true },
  refuse: byRules,
  hold: byRules,
  release: byRules,
  reopen: pressing,
  contradict: pressing,
  requeue: pressing,
  unbind: pressing,
  lowerValue: pressing,
  expire: pressing,
  giveUp: pressing,
  restoreCancellation: pressing,
  include: byChain,
  recover: byChain,
  suspect: byChain,
  confirm: byChain,
  finalize: byChain,
  drop: byChain,
  explain: byChain,
  clearWait: byChain,
} as const satisfies Readonly<Record<Decision['do'], Traits>>

type Signing = {
  [K in keyof typeof traits]: (typeof traits)[K]['signs'] extends false ? never : K
}[keyof typeof traits]

/** A decision that needs a signature. */
export type SigningDecision = Extract<Decision, { do: Signing }>

/** A decision that signs for a stored transaction. */
export type SigningChange = Exclude<SigningDecision, { do: 'fillGap' }>

export function isSigning(decision: Decision): decision is SigningDecision {
  return traits[decision.do].signs !== false
}
