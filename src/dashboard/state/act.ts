// What a button does: it is busy until that ends, and shows why it failed.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { Failure } from './request.ts'

interface Act {
  readonly isBusy: ReadonlySignal<boolean>
  /** Undefined until `run` fails, and from its next call on. */
  readonly failure: ReadonlySignal<string | undefined>
  run(act: () => Promise<void>): Promise<void>
}

export function useAct(wordsOf: (failure: Failure) => string = failureWords): Act {
  const isBusy = useSignal(false)
  const failure = useSignal<string | undefined>(undefined)
  const run = async (act: () => Promise<void>) => {
    isBusy.value = true
    failure.value = undefined
    try {
      await act()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      failure.value = wordsOf(error)
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, failure, run }
}

export function failureWords({ message, code }: Failure): string {
  return `${message} (${code})`
}
