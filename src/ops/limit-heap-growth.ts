// Bounds the garbage in the memory of a busy service.
import { setFlagsFromString } from 'node:v8'

/**
 * How much the heap may grow between two full collections, as a percentage of what the first one left. V8 itself allows up to
 * 300 (MemoryController::GrowingFactor in its src/heap/memory-controller.cc), so a burst had twice as much garbage as data.
 */
const growthPercent = 40

/** Changes the whole process. A V8 without this option writes a line to standard error and changes nothing. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
}
