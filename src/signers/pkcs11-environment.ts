// The environment of a PKCS#11 library: its own settings, such as SOFTHSM2_CONF, and no secret of the service.

/** Signatures block one thread of libuv each: there are more than are requested at once. */
const threads = '16'
const secretNames =
  /^(?:API_KEY|STORAGE_ENCRYPTION_KEY)(?:_PREVIOUS)?$|^DATABASE_URL$|(?:^|_)(?:PIN|PASSWORD|PASSPHRASE|SECRET)(?:_|$)/

/** Everything else that this process has. */
export function withoutSecrets(pins: readonly string[]): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name, value]) => !secretNames.test(name) && !pins.includes(value ?? ''),
  )
  return { ...Object.fromEntries(kept), UV_THREADPOOL_SIZE: threads }
}
