// Loaded before the service (`--import`): requests to the hosts of providers reach their stand-ins. No setting of the service does
// that, as nobody should be able to send its credentials elsewhere.
import { Agent, setGlobalDispatcher } from 'undici'

/** Of the environment: targets by origin, and the authority that signed their certificates. */
interface RedirectVariables {
  readonly REDIRECTED_ORIGINS?: string
  readonly REDIRECTED_CA?: string
}

const { REDIRECTED_ORIGINS: origins = '{}', REDIRECTED_CA: ca = '' }: RedirectVariables = process.env
const targets = new Map(Object.entries(JSON.parse(origins) as Record<string, string>))

setGlobalDispatcher(
  new Agent({ connect: { ca } }).compose((dispatch) => (options, handler) => {
    const origin = targets.get(String(options.origin))
    return dispatch({ ...options, ...(origin !== undefined && { origin }) }, handler)
  }),
)
