// Tests of programs that npm does not bring, such as Chromium and SoftHSM, are skipped where these are missing.

/** Never true with `CI` set: then the tests fail, so that a missing program is no success. */
export function isSkipped(isMissing: boolean): boolean {
  return isMissing && process.env['CI'] === undefined
}
