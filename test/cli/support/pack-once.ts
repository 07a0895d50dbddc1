// Packs the package once for the files of a run.
import type { TestProject } from 'vitest/node'
import { pack } from './packed.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The directory of the unpacked package. */
    readonly packed: string
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const packed = await pack()
  project.provide('packed', packed.directory)
  return async () => packed[Symbol.asyncDispose]()
}
