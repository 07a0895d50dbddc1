// The codes of a token that refuses its PIN. A token counts wrong PINs and locks itself, so none of them is tried again.
import { codesThatAre } from './failure-table.ts'

/** The codes of C_Login, of a token whose next wrong PIN would lock it, and of a login whose end nobody saw. */
export const pinCodes: readonly string[] = codesThatAre('once')
